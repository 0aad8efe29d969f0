/* Every program of the stub root: see stub.h. */
#include "stub.h"
#include <sys/auxv.h>

int main(int count, char **arguments, char **environment) {
  const char *path = (const char *)getauxval(AT_EXECFN);
  if (path == NULL) path = count > 0 ? arguments[0] : "?";
  be_stub(path, arguments, environment, execve);
}
