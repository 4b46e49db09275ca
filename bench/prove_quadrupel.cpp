// Proves that the first player of plain Quadrupel (variant=basic) wins, and writes the proof. Without arguments it tells
// which first turns win or lose within nine turns of the winner's own; that takes some minutes.
//
//     g++ -O2 -std=c++17 -o /tmp/prove bench/prove_quadrupel.cpp
//     /tmp/prove engines/quadrupel/proof.bin d2b2 d2e2 c4b4
//
// After each first turn it searches for a win in so many turns, and then walks all replies of the defender, whatever
// they lead to once. A record has five bytes: the number of the attacker's four squares among all such, the number of
// the defender's, and a turn that wins, as 36 * which of the four squares + the target. Squares go from a1 row by row.
// The rule against going back and forth is left out; tests/engines/test_quadrupel_proof.py walks the proof with it.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

using Board = uint64_t;
const int SIZE = 6, CELLS = 36, MOST = 9;

struct Jump { Board over, landing; int target; };
Board steps[CELLS];
std::vector<Jump> jumps[CELLS];
std::vector<Board> figures;
Board completing[CELLS][CELLS][CELLS];  // by three stones in ascending order: the squares that make a figure of them

int cell_of(const char* name) { return (name[1] - '1') * SIZE + name[0] - 'a'; }

void make_tables() {
    for (int cell = 0; cell < CELLS; ++cell)
        for (int down = -1; down <= 1; ++down)
            for (int right = -1; right <= 1; ++right) {
                int row = cell / SIZE + down, column = cell % SIZE + right;
                auto inside = [](int r, int c) { return r >= 0 && r < SIZE && c >= 0 && c < SIZE; };
                if ((!down && !right) || !inside(row, column)) continue;
                int over = row * SIZE + column;
                if (!down || !right) steps[cell] |= Board(1) << over;
                if (inside(row + down, column + right)) {
                    int target = over + down * SIZE + right;
                    jumps[cell].push_back({Board(1) << over, Board(1) << target, target});
                }
            }
    const int shapes[6][4][2] = {
        {{0, 0}, {1, 0}, {0, 1}, {1, 1}}, {{0, 0}, {1, 0}, {2, 0}, {3, 0}}, {{0, 0}, {0, 1}, {0, 2}, {0, 3}},
        {{1, 0}, {0, 1}, {2, 1}, {1, 2}}, {{0, 0}, {1, 1}, {2, 2}, {3, 3}}, {{3, 0}, {2, 1}, {1, 2}, {0, 3}}};
    for (auto& shape : shapes)
        for (int row = 0; row < SIZE; ++row)
            for (int column = 0; column < SIZE; ++column) {
                std::vector<int> cells;
                for (auto& [x, y] : shape)
                    if (column + x < SIZE && row + y < SIZE) cells.push_back((row + y) * SIZE + column + x);
                if (cells.size() < 4) continue;
                std::sort(cells.begin(), cells.end());
                for (int last = 0; last < 4; ++last) {
                    std::vector<int> three(cells);
                    three.erase(three.begin() + last);
                    completing[three[0]][three[1]][three[2]] |= Board(1) << cells[last];
                }
            }
}

Board reach(int origin, Board occupied) {
    Board others = occupied & ~(Board(1) << origin), landed = 0, waiting = 0;
    for (auto& jump : jumps[origin])
        if (others & jump.over && !(occupied & jump.landing)) waiting |= jump.landing;
    landed = waiting;
    while (waiting) {
        int cell = __builtin_ctzll(waiting);
        waiting &= waiting - 1;
        for (auto& jump : jumps[cell])
            if (others & jump.over && !((occupied | landed) & jump.landing)) landed |= jump.landing, waiting |= jump.landing;
    }
    return (steps[origin] & ~occupied) | landed;
}

struct Stones { int cell[4]; };
Stones stones_of(Board own) {
    Stones found;
    for (int& cell : found.cell) cell = __builtin_ctzll(own), own &= own - 1;
    return found;
}

Board completing_of(const Stones& s, int loose) {
    int three[3], n = 0;
    for (int i = 0; i < 4; ++i)
        if (i != loose) three[n++] = s.cell[i];
    return completing[three[0]][three[1]][three[2]];
}

// The stones after a turn that makes a figure; 0 if there is none.
Board figure_at_once(Board own, Board occupied) {
    Stones s = stones_of(own);
    for (int i = 0; i < 4; ++i) {
        Board fits = completing_of(s, i) & ~occupied;
        if (fits && (fits &= reach(s.cell[i], occupied))) return (own ^ Board(1) << s.cell[i]) | (fits & -fits);
    }
    return 0;
}

int turns(Board own, Board occupied, Board* found) {
    Stones s = stones_of(own);
    int n = 0;
    for (int cell : s.cell)
        for (Board targets = reach(cell, occupied); targets; targets &= targets - 1)
            found[n++] = (own ^ Board(1) << cell) | (targets & -targets);
    return n;
}

// What is known of a position with the attacker to move: it wins in `won` turns of its own (0: unknown), not in `lost`.
struct Entry { Board own, theirs, best; int8_t won, lost; };
const int ENTRIES = 1 << 24;
std::vector<Entry> table(ENTRIES);
Entry& entry(Board own, Board theirs) {
    Board hash = (own * 0x9E3779B97F4A7C15ull ^ (theirs + 0x7F4A7C15) * 0xC2B2AE3D27D4EB4Full);
    hash ^= hash >> 29;
    return table[(hash * 0xBF58476D1CE4E5B9ull) >> 40];
}

int known(Board own, Board theirs, int within) {  // 1: won, -1: not won, 0: unknown
    Entry& e = entry(own, theirs);
    if (e.own != own || e.theirs != theirs) return 0;
    return e.won && e.won <= within ? 1 : e.lost >= within ? -1 : 0;
}

long nodes = 0;
bool wins(Board own, Board theirs, int within);

// How many single stones away the attacker is from figures: its promising turns come first.
int promise(Board own, Board occupied) {
    Stones s = stones_of(own);
    int sum = 0;
    for (int i = 0; i < 4; ++i) {
        Board fits = completing_of(s, i) & ~occupied;
        if (!fits) continue;
        sum += 2 * __builtin_popcountll(fits) + 12 * __builtin_popcountll(fits & reach(s.cell[i], occupied));
    }
    return sum;
}

Board killer[MOST + 1];
bool holds(Board own, Board theirs, int within) {  // the defender to move: whether the attacker still wins
    Board occupied = own | theirs, replies[160];
    if (figure_at_once(theirs, occupied)) return false;
    int n = turns(theirs, occupied, replies);
    if (!n) return false;
    for (int i = 0; i < n; ++i)
        if (known(own, replies[i], within) < 0) return false;
    for (int round = 0; round < 2; ++round)
        for (int i = 0; i < n; ++i)
            if ((replies[i] == killer[within]) == !round && !wins(own, replies[i], within)) {
                killer[within] = replies[i];
                return false;
            }
    return true;
}

bool wins(Board own, Board theirs, int within) {
    Board occupied = own | theirs;
    if (within == 1) return figure_at_once(own, occupied);
    if (int before = known(own, theirs, within)) return before > 0;
    if (figure_at_once(own, occupied)) return true;
    ++nodes;
    if (within > 2 && wins(own, theirs, within - 1)) return true;
    Board found[160];
    int n = turns(own, occupied, found);
    std::pair<int, Board> sorted[160];
    Entry& e = entry(own, theirs);
    Board first = e.own == own && e.theirs == theirs ? e.best : 0;
    for (int i = 0; i < n; ++i) sorted[i] = {found[i] == first ? -1000 : -promise(found[i], found[i] | theirs), found[i]};
    std::sort(sorted, sorted + n);
    Board best = 0;
    for (int i = 0; i < n && !best; ++i) {
        if (within == 2 && sorted[i].first == 0) break;  // nothing is threatened
        if (holds(sorted[i].second, theirs, within - 1)) best = sorted[i].second;
    }
    Entry& now = entry(own, theirs);
    if (now.own != own || now.theirs != theirs) now = {own, theirs, 0, 0, 0};
    if (best) now.best = best, now.won = int8_t(within);
    else now.lost = int8_t(std::max<int>(now.lost, within));
    return best != 0;
}

std::map<std::pair<Board, Board>, Board> proof;
void walk(Board own, Board theirs) {
    if (proof.count({own, theirs})) return;
    Board occupied = own | theirs, best = figure_at_once(own, occupied), replies[160];
    if (best) { proof[{own, theirs}] = best; return; }
    int within = 2;
    while (!wins(own, theirs, within)) ++within;
    best = entry(own, theirs).best;
    proof[{own, theirs}] = best;
    int n = turns(theirs, best | theirs, replies);
    for (int i = 0; i < n; ++i) walk(best, replies[i]);
}

uint32_t number_of(Board squares) {
    uint32_t number = 0;
    Stones s = stones_of(squares);
    for (int i = 0; i < 4; ++i) {
        uint32_t ways = 1;  // of i + 1 squares below this one
        for (int k = 0; k <= i; ++k) ways = ways * uint32_t(std::max(0, s.cell[i] - k)) / uint32_t(k + 1);
        number += ways;
    }
    return number;
}

void write(FILE* file, Board own, Board theirs, Board after) {
    int loose = 0, target = __builtin_ctzll(after & ~own);
    for (Stones s = stones_of(own); after >> s.cell[loose] & 1;) ++loose;
    uint32_t one = number_of(own), two = number_of(theirs);
    for (uint32_t byte : {one >> 8, one, two >> 8, two, uint32_t(36 * loose + target)}) fputc(int(byte & 255), file);
}

Board played(Board own, const char* turn) { return (own ^ Board(1) << cell_of(turn)) | Board(1) << cell_of(turn + 2); }

std::string name_of(Board own, Board after) {
    int origin = __builtin_ctzll(own & ~after), target = __builtin_ctzll(after & ~own);
    return {char('a' + origin % 6), char('1' + origin / 6), char('a' + target % 6), char('1' + target / 6)};
}

int main(int argc, char** argv) {
    make_tables();
    Board black = 0, white = 0, found[160];
    for (auto name : {"d2", "c3", "d3", "c4"}) black |= Board(1) << cell_of(name);
    for (auto name : {"c2", "b3", "e3", "d4"}) white |= Board(1) << cell_of(name);
    if (argc < 3) {
        for (int n = turns(black, black | white, found), i = 0; i < n; ++i) {
            int within = 2;
            std::string result = "open";
            for (; within <= MOST && result == "open"; ++within)
                if (holds(found[i], white, within - 1)) result = "wins in " + std::to_string(within);
                else if (wins(white, found[i], within)) result = "loses in " + std::to_string(within);
            printf("%s %s\n", name_of(black, found[i]).c_str(), result.c_str());
            fflush(stdout);
        }
        return 0;
    }
    for (int k = 2; k < argc; ++k) {
        Board own = played(black, argv[k]);
        int within = 1;
        while (within < MOST && !holds(own, white, within)) ++within;
        if (within == MOST) return fprintf(stderr, "%s doesn't win in %d\n", argv[k], MOST), 1;
        for (int n = turns(white, own | white, found), i = 0; i < n; ++i) {
            walk(own, found[i]);
        }
        printf("%s wins in %d; %zu positions, %ld nodes\n", argv[k], within + 1, proof.size(), nodes);
    }
    FILE* file = fopen(argv[1], "wb");
    for (auto& [position, after] : proof) write(file, position.first, position.second, after);
    return fclose(file);
}
