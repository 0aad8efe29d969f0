/** GitHub (gh 2.63): what looks asks a server; everything else changes something there. */
export const github = `
gh : || -R,--repo=forge --help~
  version help completion : text* | -s,--shell=text
  # Pages of help that bear the names of verbs.
  environment reference accessibility formatting exit-codes mintty actions :
  pr issue : !unknown@0
    list ls : !connects at:configured | -[lLsaAbBHS]=text -[w]!unknown --state=text --limit=text --label=text --author=text --assignee=text --json=text -q,--jq=jq-filter -t,--template=text --search=text --base=text --head=text -d,--draft --app=text --milestone=text -m=text --mention=text --type=text --web!unknown
    view : endpoint !connects at:configured | -c,--comments --json=text -q,--jq=jq-filter -t,--template=text -w,--web!unknown
    status : !connects at:configured | --json=text -q,--jq=jq-filter -t,--template=text -c,--conflict-status
    diff : endpoint !connects at:configured | --color=text --name-only --patch --exclude=text -w,--web!unknown
    checks : endpoint !connects at:configured | --watch --required --fail-fast --json=text -q,--jq=jq-filter -t,--template=text -i,--interval=text -w,--web!unknown
    create edit close reopen merge review comment ready delete lock unlock pin unpin transfer update-branch revert : text* !publishes@0
    develop : endpoint !publishes@0 !connects at:configured | -l,--list~
    checkout co : text* !history@0 !writes@0
  repo : !unknown@0
    list ls : text !connects at:configured | -L,--limit=text -l,--language=text --json=text -q,--jq=jq-filter -t,--template=text --source --fork --archived --no-archived --topic=text --visibility=text --private --public
    view : forge !connects at:configured | -b,--branch=text --json=text -q,--jq=jq-filter -t,--template=text -w,--web!unknown
    deploy-key/list autolink/list autolink/view autolink/ls : text* !connects at:configured | --json=text -q,--jq=jq-filter -t,--template=text -w,--web!unknown
    gitignore/list license/list gitignore/view license/view : text !connects at:configured | -w,--web!unknown
    create edit delete clone fork rename archive unarchive sync set-default : text* !publishes@0 !writes@0
  run workflow release gist cache variable secret ssh-key gpg-key org : !unknown@0
    list ls : text* !connects at:configured | -[abceLsuASOowkr]=text --limit=text --json=text -q,--jq=jq-filter -t,--template=text --branch=text --status=text --user=text --workflow=text --event=text --commit=text --created=text --all --public --language=text --topic=text
      | --visibility=text --source --fork --archived --no-archived --sort=text --order=text --exclude-drafts --exclude-pre-releases --env=text --org=text --key=text --ref=text --owner=text --closed --format=text --search=text --secret --parents --web!unknown --filter=text --include-content
    view : endpoint !connects at:configured | -[jarbyo]=text --json=text -q,--jq=jq-filter -t,--template=text --log --log-failed --exit-status -v,--verbose --job=text --attempt=text --branch=text --yaml --ref=text --raw --files -f,--filename=text --owner=text --org=text --parents --format=text -w,--web!unknown
    watch : text !connects at:configured | --exit-status -i,--interval=text --compact
    create edit delete rerun cancel enable disable upload sync fork rename set remove clone add import : text* !publishes@0
    download : text* !writes@0
  # Their -w opens a browser, where that of a run takes a workflow.
  label ruleset rs : !unknown@0
    list ls : !connects at:configured | -L,--limit=text -S,--search=text -o,--org=text -p,--parents --json=text -q,--jq=jq-filter -t,--template=text --sort=text --order=text -w,--web!unknown
    view : endpoint !connects at:configured | -o,--org=text -p,--parents -w,--web!unknown
    create edit delete clone : text* !publishes@0
  release/verify : text !connects at:configured | --json=text --format=text -q,--jq=jq-filter -t,--template=text
  release/verify-asset : read* !connects at:configured | --json=text --format=text -q,--jq=jq-filter -t,--template=text
  ruleset/check rs/check : text !connects at:configured | --default -w,--web!unknown
  variable/get : text !connects at:configured | -e,--env=text -o,--org=text --json=text -q,--jq=jq-filter -t,--template=text
  project : !unknown@0
    list ls view item-list field-list : text* !connects at:configured | --owner=text --format=text --json=text -q,--jq=jq-filter -t,--template=text -L,--limit=text --closed --query=text -w,--web!unknown
    create edit delete close copy item-add item-create item-edit item-delete item-archive field-create field-delete link unlink mark-template : text* !publishes@0
  search : !unknown@0
    repos issues prs code commits : text* !connects at:configured | -L,--limit=text --json=text -q,--jq=jq-filter -t,--template=text --repo=text -R=text --owner=text --state=text --language=text --author=text --label=text --sort=text --order=text --match=text --filename=text --extension=text -w,--web!unknown
      | --archived=text? --assignee=text --app=text --closed=text --commenter=text --comments=text --created=text --updated=text --draft --head=text -H=text --base=text -B=text --checks=text --review=text --reviewed-by=text --review-requested=text --merged --merged-at=text --involves=text --mentions=text --milestone=text
      | --locked --no-assignee --no-label --no-milestone --no-project --project=text --reactions=text --interactions=text --include-prs --include-forks=text --followers=text --forks=text --stars=text --size=text --license=text --topic=text --visibility=text --number-topics=text --good-first-issues=text --help-wanted-issues=text
      | --author-date=text --author-email=text --author-name=text --committer=text --committer-date=text --committer-email=text --committer-name=text --hash=text --merge --parent=text --tree=text --team-mentions=text
  status : !connects at:configured | -e,--exclude=text -o,--org=text
  auth : !unknown@0
    status : !connects at:configured | -h,--hostname=text -a,--active -t,--show-token!secrets --json=text -q,--jq=jq-filter
    token : text* !secrets@0 | -h,--hostname=text -u,--user=text --secure-storage
    login logout refresh setup-git switch git-credential : text* !persists@0
  config : !unknown@0
    list ls : | -h,--host=text
    get : text* !secrets@0 | -h,--host=text
    # Settings that are no token.
    get/git_protocol get/editor get/prompt get/pager get/browser get/http_unix_socket get/prefer_editor_prompt get/spinner get/color_labels get/accessible_colors : | -h,--host=text
    set clear-cache : text* !persists@0
  api : endpoint !connects at:configured with:fields | -X,--method=text -q,--jq=jq-filter -t,--template=text --paginate --slurp -i,--include --silent --hostname=host!sends --cache=text -H,--header=header -p,--preview=text -f,--raw-field=text -F,--field=field --input=read!sends --verbose
  alias : !unknown@0
    list ls :
    set delete import : text* !persists@0
  extension extensions ext : !unknown@0
    list ls :
    search : text* !connects at:configured | -L,--limit=text --license=text --order=text --owner=text --sort=text --json=text -q,--jq=jq-filter -t,--template=text -w,--web!unknown
    install upgrade remove create browse : text* !runs-code@0
    # Every word behind the extension is the extension's, --help too.
    exec : text* !runs-code
  # Without --no-browser it starts the browser that is configured.
  browse : endpoint !runs-code@0 | -n,--no-browser~ -b,--branch=text -c,--commit=text? -p,--projects -r,--releases -s,--settings -w,--wiki -a,--actions --blame
  codespace cs : !unknown@0
    list ls : !connects at:configured | -L,--limit=text -o,--org=text -u,--user=text --json=text -q,--jq=jq-filter -t,--template=text -w,--web!unknown
    view : !connects at:configured | -c,--codespace=text --json=text -q,--jq=jq-filter -t,--template=text --repo-owner=text
    # It starts a codespace that stands still.
    ports : !remote !connects at:configured | -c,--codespace=text --json=text -q,--jq=jq-filter -t,--template=text --repo-owner=text
      forward visibility : text* !remote@0
    code cp create delete edit jupyter logs rebuild ssh stop : text* !remote@0
  attestation at : !unknown@0
    verify : read !connects at:configured | -b,--bundle=read --bundle-from-oci -o,--owner=text --predicate-type=text --cert-identity=text -i,--cert-identity-regex=text --cert-oidc-issuer=text --custom-trusted-root=read --deny-self-hosted-runners -d,--digest-alg=text --format=text -q,--jq=jq-filter -t,--template=text -L,--limit=text --no-public-good
      | --signer-repo=text --signer-workflow=text --signer-digest=text --source-digest=text --source-ref=text --hostname=host!sends
    download trusted-root : text* !writes@0 !connects
  agent-task : !unknown@0
    list : !connects at:configured | -L,--limit=text
    view : endpoint !connects at:configured | --log
  copilot models preview : !unknown
`;
