/** Package managers: what they install may run on installation, so all but looking is code (npm 11, pip 26, uv 0.9, apt 2.6). */
export const packages = `
npm : || --json --long -l --silent -s --quiet -q --no-color --color=text --parseable -p --depth=text --omit=text --include=text --loglevel=text --no-audit --no-fund --no-progress --workspaces --if-present -ws --verbose
  ls list ll la : text* | -a,--all --link --package-lock-only --prod --production --dev --only=text -g,--global
  view info show v : text* !connects
  outdated : text* !connects | -a,--all -g,--global
  search find s se : text* !connects | --searchlimit=text --no-description
  audit : !connects | --audit-level=text --production --only=text --dry-run --package-lock-only
    signatures : 
    fix : !runs-code
  ping whoami : !connects
  root prefix bin : | -g,--global
  explain why : text*
  fund : text* | --no-browser
  doctor : text* !connects
  query : text*
  diff : text* !connects
  docs repo home bugs : text* !connects | --no-browser
  help help-search : text* !runs-code
  version : text !history@1
  # npm shows no secret of its configuration.
  config c : !unknown
    get list ls : text*
  run run-script : text* with:npm-script
  test t tst start stop restart : text* with:npm-script
  install i add ci update up upgrade rebuild exec x uninstall remove rm un link prune dedupe install-test it install-ci-test cit create init pack : text* !runs-code
  publish unpublish deprecate dist-tag access owner team org token login logout adduser profile star unstar hook : text* !publishes
  cache : !unknown
    ls : text*
    verify : !writes
npx pnpx bunx uvx pipx : text* !runs-code
pnpm : || --json --long --silent -s --no-color --depth=text -r,--recursive --filter=text -F=text --prod -P --dev -D
  ls list ll la : text* | -g,--global --parseable --only-projects --no-optional
  why : text*
  outdated audit view info show search : text* !connects | --audit-level=text
  root bin : | -g,--global
  store : !unknown
    path status : 
  config c : !unknown
    get list : text* !secrets
  licenses : !unknown
    list ls : text*
  run run-script : text* with:npm-script
  test t tst start stop restart : text* with:npm-script
  install i add ci update up upgrade rebuild exec dlx uninstall remove rm un link unlink prune dedupe create init pack import deploy patch env fetch : text* !runs-code
  publish login logout : text* !publishes
yarn : !runs-code@0 || --json --silent -s --verbose --no-progress | -v~
  list why : text* | --depth=text --pattern=text -R,--recursive
  info outdated audit npm : text* !connects | --level=text --groups=text -A,--all -R,--recursive
  versions help : text*
  licenses : 
    list ls : 
  config : !unknown
    get list : text* !secrets
  cache : !unknown
    list dir : 
  global : !unknown
    list dir bin : 
  run : text* with:npm-script
  test start : text* with:npm-script
  install add remove upgrade up dlx exec node create init link pack import workspace workspaces : text* !runs-code
  publish login : text* !publishes
pip pip2 pip3 : || -v,--verbose -q,--quiet --no-color --no-input --disable-pip-version-check --isolated --no-python-version-warning --require-virtualenv --timeout=text --retries=text | -V~
  list : | -o,--outdated!connects -u,--uptodate!connects -e,--editable -l,--local --user --path=read --pre --format=text --not-required --exclude-editable --include-editable --exclude=text --no-index
  show : text* | -f,--files
  freeze : | -r,--requirement=read -l,--local --user --path=read --all --exclude-editable --exclude=text
  check : 
  inspect : | --local --user --path=read
  index : !unknown
    versions : text* !connects | --pre --json
  search : text* !connects
  debug : 
  hash : read* | -a,--algorithm=text
  help : text*
  config : !unknown
    list get debug : text* !secrets
  cache : !unknown
    dir info list : text* | --format=text --abspath
  install uninstall download wheel : text* !runs-code
uv : || -q,--quiet -v,--verbose --color=text --no-progress --offline --no-config | -V~
  version : | --short --output-format=text --dry-run
  help : text*
  tree : | --depth=text --no-dedupe --invert --package=text --frozen --outdated!connects --no-dev --locked!runs-code
  pip : 
    list : | --format=text --outdated!connects -o!connects -e,--editable --exclude-editable --exclude=text --strict --system --python=code -p=code
    show : text* | -f,--files --strict --system --python=code -p=code
    freeze : | --strict --system --exclude-editable --python=code -p=code
    check : | --system --python=code -p=code
    tree : | -d,--depth=text --prune=text --package=text --no-dedupe --invert --show-version-specifiers --strict --outdated!connects --system --python=code -p=code
    install uninstall sync compile : text* !runs-code
  python : 
    list : text | --all-versions --all-platforms --all-arches --only-installed --only-downloads --show-urls --output-format=text
    find : text | --system --no-project
    dir : | --bin
    install uninstall pin update-shell upgrade : text* !runs-code
  tool : 
    list : | --show-paths --show-version-specifiers --show-with --show-extras
    dir : | --bin
    run install uninstall upgrade update-shell : text* !runs-code
  cache : 
    dir : 
    clean prune : text* !deletes
  run sync lock add remove init build venv export format self : text* !runs-code
  publish auth : text* !publishes
poetry pipenv conda mamba micromamba pdm hatch rye : text* !runs-code@0 | -V~
gem : 
  list search info contents which environment outdated dependency help : text* | -l,--local -a,--all -r,--remote!connects -d,--details -i -q,--quiet --no-verbose --versions
  install uninstall update build exec fetch pristine unpack setup cleanup : text* !runs-code
  push yank owner signin : text* !publishes
bundle bundler composer luarocks cpan cpanm : text* !runs-code@0 | -v~
apt apt-get aptitude : !system@1 || -q -qq
  list search show policy showpkg depends rdepends madison : text* | -a,--all-versions --installed --upgradable --names-only -n --full -i --verbose
apt-cache : 
  search show showpkg policy depends rdepends madison stats pkgnames showsrc dump unmet dotty : text* | -a -n -f -i -q --names-only --installed --recurse --no-all-versions --important
apt-mark : 
  showhold showmanual showauto : text*
  hold unhold manual auto : text* !system
apt-file : !unknown
  search list : text* | -x -F -l
dpkg : text* !system@0
  # -l starts a pager on a terminal; dpkg-query -W does not.
  | --no-pager -l,--list~!runs-code -L,--listfiles~ -s,--status~ -S,--search~ -p,--print-avail~ --get-selections~ --print-architecture~ --print-foreign-architectures~ -c,--contents=read~ -I,--info=read~ --compare-versions~ -V,--verify~ --audit~ -C~
dpkg-query : text* | -[LsSWp] -l,--list!runs-code -f,--showformat=text --no-pager --listfiles --status --search --show
rpm : text* !system@0
  | -q,--query~ -a -i -l -f -p -c -d -R -V --all --info --list --file=read --queryformat=text --qf=text --requires --provides --changelog --scripts --whatprovides --whatrequires
  | -[eUFE]!system --install!system --erase!system --upgrade!system --freshen!system --import!system --eval=code --pipe=shell!runs-code --root=text!system --dbpath=text!system --define=text!runs-code --rebuilddb!system
yum dnf zypper microdnf pacman apk snap flatpak port nix nix-env nix-shell guix pkg emerge : text* !system !unknown
`;
