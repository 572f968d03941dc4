// SPDX-License-Identifier: BSD-2-Clause
// A receiver that takes everything. Prints its port, and ends when its standard input ends.
import http from "node:http";

const server = http.createServer((request, answer) => {
    request.resume();
    request.on("end", () => answer.end());
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.stdin.on("end", () => process.exit()).resume();
