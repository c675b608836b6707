// Random playouts of cassino/standard/1v1 in C, for `native.py`. Cards are numbers as in
// engine/cards.py (rank * 4 + suit); piles and sets of cards are masks.
#include <stdint.h>
#include <string.h>

enum { TRAIL, CAPTURE, BUILD_SUM, BUILD_PAIR, SEATS = 2, ROUND = 4, CARDS = 52, MOST = 4096 };

typedef struct { uint64_t cards; int8_t kind, value, rank; } Item; // kind: TRAIL is a loose card
typedef struct { uint64_t items; int8_t card, kind, number; } Move; // a build has one item
typedef struct {
    int8_t hand[SEATS][ROUND], held[SEATS], stock[CARDS], at, turn, last, sweeps[SEATS];
    int tabled;
    Item table[CARDS];
    uint64_t pile[SEATS];
} Deal;

static uint64_t mix(uint64_t x) // splitmix64, by Steele, Lea and Flood
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

static int number_of(int card) { return card < 40 ? card / 4 + 1 : 0; } // CAS-8

static void give(Deal *deal, int seat)
{
    for (int i = 0; i < 2; i++) deal->hand[seat][deal->held[seat]++] = deal->stock[deal->at++];
}

static void lay(Deal *deal, int card)
{
    Item item = { 1ull << card, TRAIL, number_of(card), card / 4 };
    deal->table[deal->tabled++] = item;
}

static void start(Deal *deal, const int8_t *deck) // CAS-3; seat 1 deals
{
    memset(deal, 0, sizeof *deal);
    memcpy(deal->stock, deck, CARDS);
    deal->last = -1;
    for (int i = 0; i < 2; i++) {
        give(deal, 0);
        for (int j = 0; j < 2; j++) lay(deal, deal->stock[deal->at++]);
        give(deal, 1);
    }
}

static int sums(const Deal *deal, int from, int left, uint64_t set, uint64_t *groups, int count)
{
    if (left == 0) {
        groups[count++] = set;
        return count;
    }
    for (int i = from; i < deal->tabled && count < MOST; i++) {
        int value = deal->table[i].value;
        if (value && value <= left)
            count = sums(deal, i + 1, left - value, set | 1ull << i, groups, count);
    }
    return count;
}

static int capture_sets(const Deal *deal, int card, uint64_t *sets) // CAS-9 to CAS-12
{
    static _Thread_local uint64_t groups[MOST + 1];
    int number = number_of(card), count = 0, found = 0;
    if (number) count = sums(deal, 0, number, 0, groups, 0);
    for (int i = 0; i < deal->tabled && count < MOST; i++)
        if (deal->table[i].rank == card / 4 && (!number || deal->table[i].kind == BUILD_PAIR))
            groups[count++] = 1ull << i;
    for (int g = 0; g < count; g++) {
        int before = found;
        for (int s = -1; s < before && found < MOST; s++) {
            uint64_t set = s < 0 ? 0 : sets[s];
            if (set & groups[g]) continue;
            set |= groups[g];
            int known = 0;
            while (known < found && sets[known] != set) known++;
            if (known == found) sets[found++] = set;
        }
    }
    return found;
}

static int keeps(const Deal *deal, int at, int rank) // CAS-16
{
    for (int i = 0; i < deal->held[deal->turn]; i++)
        if (i != at && deal->hand[deal->turn][i] / 4 == rank) return 1;
    return 0;
}

static int legal(const Deal *deal, Move *moves)
{
    static _Thread_local uint64_t sets[MOST];
    int count = 0;
    for (int at = 0; at < deal->held[deal->turn]; at++) {
        int card = deal->hand[deal->turn][at], number = number_of(card), rank = card / 4;
        moves[count++] = (Move){ 0, card, TRAIL, 0 };
        int captures = capture_sets(deal, card, sets);
        for (int i = 0; i < captures && count < MOST; i++)
            moves[count++] = (Move){ sets[i], card, CAPTURE, 0 };
        for (int i = 0; i < deal->tabled && count < MOST - 1; i++) {
            const Item *item = &deal->table[i];
            int sum = number && item->value ? number + item->value : 99;
            if (sum <= 10 && keeps(deal, at, sum - 1)) // CAS-18, CAS-20
                moves[count++] = (Move){ 1ull << i, card, BUILD_SUM, sum };
            int same = item->rank == rank || (item->kind == BUILD_SUM && item->value == number);
            if (same && keeps(deal, at, rank)) // CAS-17, CAS-19, CAS-21
                moves[count++] = (Move){ 1ull << i, card, BUILD_PAIR, 0 };
        }
    }
    return count;
}

static uint64_t cards_of(const Deal *deal, uint64_t items)
{
    uint64_t cards = 0;
    for (; items; items &= items - 1) cards |= deal->table[__builtin_ctzll(items)].cards;
    return cards;
}

static void keep_rest(Deal *deal, uint64_t taken)
{
    int kept = 0;
    for (int i = 0; i < deal->tabled; i++)
        if (!(taken >> i & 1)) deal->table[kept++] = deal->table[i];
    deal->tabled = kept;
}

static int play(Deal *deal, Move move) // 0: the deal is over
{
    int seat = deal->turn, at = 0;
    uint64_t cards = cards_of(deal, move.items);
    int8_t *hand = deal->hand[seat];
    while (hand[at] != move.card) at++;
    hand[at] = hand[--deal->held[seat]];
    keep_rest(deal, move.items);
    if (move.kind == TRAIL) {
        lay(deal, move.card);
    } else if (move.kind == CAPTURE) {
        deal->pile[seat] |= cards | 1ull << move.card;
        deal->last = seat;
        deal->sweeps[seat] += deal->tabled == 0; // CAS-27
    } else {
        Item item = { cards | 1ull << move.card, move.kind, move.number, -1 };
        if (move.kind == BUILD_PAIR) item.value = 0, item.rank = move.card / 4;
        deal->table[deal->tabled++] = item;
    }
    deal->turn = 1 - seat;
    if (deal->held[deal->turn]) return 1;
    if (deal->at < CARDS) { // CAS-4
        for (int i = 0; i < 2; i++) give(deal, 0), give(deal, 1);
        return 1;
    }
    if (deal->last >= 0) deal->pile[deal->last] |= cards_of(deal, (1ull << deal->tabled) - 1);
    return 0;
}

// Plays each deck to its end with random moves; returns the number of decisions.
long playouts(const int8_t *decks, int count, uint64_t seed)
{
    static Move moves[MOST + 1];
    long decisions = 0;
    for (int i = 0; i < count; i++) {
        Deal deal;
        start(&deal, decks + i * CARDS);
        do {
            int choices = legal(&deal, moves);
            seed = mix(seed);
            decisions++;
            if (!play(&deal, moves[(seed >> 32) * choices >> 32])) break;
        } while (1);
    }
    return decisions;
}

// Plays a deck, always with the move that has the smallest key; stores the number of moves at each
// decision, both piles and both counts of sweeps. `native.py` does the same with the engine.
void follow(const int8_t *deck, int16_t *counts, uint64_t *piles, int8_t *sweeps)
{
    static Move moves[MOST + 1];
    Deal deal;
    Move best;
    start(&deal, deck);
    do {
        uint64_t least = -1;
        int choices = legal(&deal, moves);
        for (int i = 0; i < choices; i++) {
            uint64_t key = moves[i].card + 64 * (moves[i].kind + 4 * moves[i].number);
            key = mix(mix(cards_of(&deal, moves[i].items)) ^ key);
            if (key < least) least = key, best = moves[i];
        }
        *counts++ = choices;
    } while (play(&deal, best));
    memcpy(piles, deal.pile, sizeof deal.pile);
    memcpy(sweeps, deal.sweeps, sizeof deal.sweeps);
}
