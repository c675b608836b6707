// tries: replace its process image in the middle of the match
// must: play on or start or crash or time or garbage or extra
// walls: kernel's word, referee
#include "lib.h"

int main(int argc, char **argv)
{
    if (argc > 2) {
        for (;;) { /* the second image: it has read no question, so it reads one */
            play();
            ask();
        }
    }
    ask();
    tried();
    char *again[] = {argv[0], "alone", move_, "again", 0};
    play();
    execv(argv[0], again);
    play_on();
}
