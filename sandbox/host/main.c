/* warder-host: what Warder cannot do from Node, on the host. See README.md. */
#include <stdio.h>
#include <string.h>

#include "verbs.h"

int main(int argc, char **argv) {
  const char *verb = argc > 1 ? argv[1] : "";
  if (strcmp(verb, "hold") == 0 && argc == 2) return verb_hold();
  if (strcmp(verb, "place") == 0 && argc == 5) return verb_place(argv[2], argv[3], argv[4]);
  if (strcmp(verb, "enter") == 0 && argc > 4) return verb_enter(argv[2], argv[3], argv + 4);
  if (strcmp(verb, "apart") == 0 && argc > 2) return verb_apart(argv + 2);
  if (strcmp(verb, "unmount") == 0 && argc > 2) return verb_unmount(argc - 2, argv + 2);
  if (strcmp(verb, "changes") == 0 && (argc == 5 || argc == 6)) return verb_changes((const char *const *)argv + 2, argc - 2);
  if (strcmp(verb, "opaque") == 0 && argc == 4) return verb_opaque(argv[2], argv[3]);
  if (strcmp(verb, "pack") == 0 && argc == 4) return verb_pack(argv[2], argv[3]);
  if (strcmp(verb, "unpack") == 0 && (argc == 5 || argc == 7)) return verb_unpack((const char *const *)argv + 2, argc - 2);
  if (strcmp(verb, "snapshot") == 0 && (argc == 9 || argc == 11)) return verb_snapshot((const char *const *)argv + 2, argc - 2);
  if (strcmp(verb, "lay") == 0 && argc == 6) return verb_lay((const char *const *)argv + 2);
  if (strcmp(verb, "apply") == 0 && (argc == 4 || argc == 5)) return verb_apply(DIRECTION_LAND, argv[2], argv[3], argc == 5 ? argv[4] : NULL);
  if (strcmp(verb, "restore") == 0 && argc == 4) return verb_apply(DIRECTION_RESTORE, argv[2], argv[3], NULL);
  if (strcmp(verb, "undo") == 0 && argc == 4) return verb_apply(DIRECTION_UNDO, argv[2], argv[3], NULL);
  fprintf(stderr, "usage: warder-host hold | place PID PLACEHOLDER SHOWN | enter PID VIEW COMMAND... | apart COMMAND... | unmount PATH... | changes UPPER LOWER user|trusted [MASK] | opaque UPPER user|trusted | pack UPPER user|trusted | unpack DIRECTORY BYTES ENTRIES [UID GID] | snapshot UPPER user|trusted MAX-ENTRIES MAX-BYTES settled|unsettled BEFORE|- INDEX-BEFORE|- [TARGET INDEX] | lay SNAPSHOT INDEX TARGET user|trusted | apply ROOT UPPER [KEPT] | restore VIEW WORKSPACE | undo ROOT KEPT\n");
  return EXIT_ARGUMENTS;
}
