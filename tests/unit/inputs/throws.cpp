/* SPDX-License-Identifier: BSD-2-Clause */
/* Exceptions, tables of jumps and the library's templates. */
#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

static int pick(int x, std::string &s)
{
    switch (x) {
    case 0:
        s += "a";
        break;
    case 1:
        s += "b"; /* fall through */
    case 2:
        return static_cast<int>(s.size());
    case 3:
        s.clear();
        break;
    case 4:
        throw std::runtime_error(s);
    case 5:
        s = "abc";
        break;
    case 6:
        s += s;
        break;
    }
    return static_cast<int>(s.size()) + x;
}

int main(int argc, char **argv)
{
    std::map<std::string, std::vector<int>> m;
    std::string s;
    int sum = 0;

    for (int i = 0; i < argc; i++)
        m[argv[i]].push_back(i);
    for (auto &entry : m) {
        std::sort(entry.second.begin(), entry.second.end());
        try {
            sum += pick(entry.second[0], s);
        } catch (const std::exception &e) {
            sum += e.what()[0];
        }
    }
    return sum;
}
