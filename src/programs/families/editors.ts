/** Editors and what opens windows: all of them run commands that their files or options name. */
export const editors = `
vi vim nvim vimdiff view ex ed nano pico emacs emacsclient joe micro helix hx code cursor subl gedit kate xdg-open start : text* !runs-code
# With -R the Finder shows where a file is, and opens none.
open : read* !runs-code@0 | -R~ --reveal~
`;
