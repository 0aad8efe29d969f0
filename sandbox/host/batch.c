/* Reviewed changes, many at a time: what they write is synced together, and answered together. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apply.h"
#include "open.h"
#include "record.h"
#include "verbs.h"

/* Records that are answered together. */
#define MAX_BATCH 2048
/* So many are synced one by one; more of them by syncing the file system once, which writes what others have written, too. */
#define FEW 8

static int root;

struct step {
  struct record record;
  struct target target;
  enum answer answer;
  char *complaint;
};

static struct step steps[MAX_BATCH];
static size_t step_count, waiting_count;
static enum answer last_answer;
/* What is in its place and not on the disk yet, beside what the present batch does. */
static bool is_unsynced;

static void note_answer(struct step *step, enum answer answer) {
  step->answer = answer;
  step->complaint = answer == ANSWER_OK ? NULL : strdup(what_was_wrong());
}

static void release_file(struct target *target) {
  if (target->file >= 0) close(target->file);
  target->file = -1;
}

static void begin_step(const struct record *record, bool depends) {
  struct step *step = &steps[step_count];
  *step = (struct step){.record = *record, .target = {.parent = -1, .file = -1}};
  last_answer = depends && last_answer != ANSWER_OK ? conflict("what goes before it could not be done") : perform_change(&step->record, &step->target);
  note_answer(step, last_answer);
  /* What is synced with its file system need not stay open. */
  if (step->target.waits && ++waiting_count > FEW) release_file(&step->target);
  step_count++;
}

/* A file is on the disk before it takes the place of another, so that a machine that stops leaves one of the two. */
static void settle_steps(void) {
  bool are_many = waiting_count > FEW, is_synced = !are_many || syncfs(root) == 0;
  enum answer failed = is_synced ? ANSWER_OK : error("the files cannot be synced");
  for (size_t i = 0; i < step_count; i++) {
    if (!steps[i].target.waits) continue;
    if (are_many) release_file(&steps[i].target);
    note_answer(&steps[i], settle(&steps[i].target, failed));
  }
  waiting_count = 0;
}

/* Answers all that was read since the last time: its owner knows what landed whenever this ends. */
static bool end_batch(void) {
  settle_steps();
  for (size_t i = 0; i < step_count; i++) {
    struct step *step = &steps[i];
    if (step_count > FEW) is_unsynced = true;
    else if (step->target.parent >= 0 && step->answer == ANSWER_OK && fsync(step->target.parent) != 0) note_answer(step, error("the directory cannot be synced"));
    if (step->target.parent >= 0) close(step->target.parent);
    if (step->answer == ANSWER_OK) puts("ok");
    else printf("%s %s\n", step->answer == ANSWER_CONFLICT ? "conflict" : "error", step->complaint == NULL ? "no memory" : step->complaint);
    free(step->complaint);
    free_record(&step->record);
  }
  step_count = 0;
  return fflush(stdout) == 0;
}

int verb_apply(enum direction direction, const char *root_path, const char *upper_path, const char *kept_path) {
  root = open_roots(direction, root_path, upper_path, kept_path);
  if (root < 0) {
    fprintf(stderr, "warder-host: the directories cannot be opened: %s\n", strerror(errno));
    return 1;
  }
  allow_many_files();
  struct record record;
  enum record_state state;
  bool depends = false;
  while ((state = read_record(&record)) == RECORD_READ) {
    bool ends_batch = record_is(&record, "end", 0), is_word = ends_batch || record_is(&record, "then", 0);
    if (is_word) free_record(&record);
    else begin_step(&record, depends);
    depends = is_word && !ends_batch;
    if ((ends_batch || step_count == MAX_BATCH) && !end_batch()) return 1;
  }
  bool is_done = end_batch() && (!is_unsynced || syncfs(root) == 0);
  return is_done && state == RECORD_END ? 0 : 1;
}
