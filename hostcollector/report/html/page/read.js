/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the data that report/html/html.c wrote: blocks of base64 over deflate. A
 * block's contents are in html_data.h; numbers are LEB128, unsigned. */

function bytesOfBase64(text) {
    if (Uint8Array.fromBase64)
        return Uint8Array.fromBase64(text);
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++)
        bytes[i] = binary.charCodeAt(i);
    return bytes;
}

async function inflate(bytes) {
    const stream = new Blob([bytes]).stream()
        .pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

class Reader {
    constructor(bytes) {
        this.bytes = bytes;
        this.at = 0;
    }

    number() {
        let value = 0, scale = 1, byte;
        do {
            if (this.at >= this.bytes.length)
                throw new Error("the page's data ends too early");
            byte = this.bytes[this.at++];
            value += (byte & 127) * scale;
            scale *= 128;
        } while (byte & 128);
        return value;
    }

    take(size) {
        if (size > this.bytes.length - this.at)
            throw new Error("the page's data ends too early");
        this.at += size;
        return this.bytes.subarray(this.at - size, this.at);
    }

    text() {
        return new TextDecoder().decode(this.take(this.number()));
    }

    /* A column: how many numbers, how many bytes, the numbers; each below
     * 2^32. Where every number takes one byte, the bytes are the numbers. */
    column() {
        const count = this.number();
        const bytes = this.take(this.number());
        if (bytes.length === count)
            return bytes;

        const column = new Uint32Array(count);
        for (let i = 0, at = 0; i < count; i++) {
            let byte = bytes[at++], value = byte & 127;
            for (let shift = 7; byte & 128; shift += 7) {
                byte = bytes[at++];
                value |= (byte & 127) << shift;
            }
            column[i] = value >>> 0;
        }
        return column;
    }

    /* Likewise, as differences: 2 x d, or 2 x -d - 1 if d is negative. */
    sums() {
        const column = this.column();
        const sums = new Uint32Array(column.length);
        let sorted = true;
        for (let i = 0, sum = 0; i < column.length; i++) {
            const d = column[i];
            sum += d & 1 ? -(d + 1) / 2 : d / 2;
            sorted = sorted && (d & 1) === 0;
            sums[i] = sum;
        }
        return { sums, sorted };
    }

    /* How many, then doubles. */
    doubles() {
        const count = this.number();
        const bytes = this.take(8 * count).slice();
        return new Float64Array(bytes.buffer);
    }
}

async function readBlock(element) {
    const text = element.textContent.trim();
    element.remove(); /* its memory is not needed any more */
    return new Reader(await inflate(bytesOfBase64(text)));
}
