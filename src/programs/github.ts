/** GitHub (gh 2.40): what looks asks a server; everything else changes something there. */
export const github = `
gh : 
  version help : text*
  pr issue : !unknown
    list : !connects at:configured | -[lLsabABHSfgR]=text -[w]!unknown --state=text --limit=text --label=text --author=text --assignee=text --json=text -q,--jq=jq-filter -t,--template=text --search=text --base=text --head=text --repo=text -d,--draft --app=text --milestone=text
    view : text !connects at:configured | -c,--comments --json=text -q,--jq=jq-filter -t,--template=text -R,--repo=text -w,--web!unknown
    status : !connects at:configured | -R,--repo=text --json=text -q,--jq=jq-filter -t,--template=text -c,--conflict-status
    diff : text !connects at:configured | --color=text --name-only --patch -R,--repo=text -w,--web!unknown
    checks : text !connects at:configured | --watch --required --fail-fast --json=text -q,--jq=jq-filter -t,--template=text -R,--repo=text -i,--interval=text -w,--web!unknown
    create edit close reopen merge review comment ready delete lock unlock pin unpin transfer develop update-branch : text* !publishes
    checkout : text* !history !writes
  run workflow release repo gist label ruleset cache variable secret ssh-key gpg-key org : !unknown
    list ls : text* !connects at:configured | -[abceLRsuwASOo]=text --limit=text --repo=text --json=text -q,--jq=jq-filter -t,--template=text --branch=text --status=text --user=text --workflow=text --event=text --commit=text --created=text --all --public --language=text --topic=text
      | --visibility=text --source --fork --archived --no-archived --sort=text --order=text --exclude-drafts --exclude-pre-releases --env=text --org=text --key=text --ref=text --owner=text --closed --format=text --search=text --secret
    view : text* !connects at:configured | -[jRaybr]=text --json=text -q,--jq=jq-filter -t,--template=text --repo=text --log --log-failed --exit-status -v,--verbose --job=text --attempt=text --branch=text --yaml --ref=text --raw --files -f,--filename=text --owner=text --format=text
    watch : text !connects at:configured | --exit-status -i,--interval=text -R,--repo=text --compact
    create edit delete rerun cancel enable disable upload download sync fork rename archive unarchive set remove clone : text* !publishes
  project : !unknown
    list view item-list field-list : text* !connects at:configured | --owner=text --format=text -q,--jq=jq-filter -t,--template=text -L,--limit=text --closed -w,--web!unknown
    create edit delete close copy item-add item-create item-edit item-delete item-archive field-create field-delete link unlink mark-template : text* !publishes
  search :
    repos issues prs code commits : text* !connects at:configured | -L,--limit=text --json=text -q,--jq=jq-filter -t,--template=text --repo=text --owner=text --state=text --language=text --author=text --label=text --sort=text --order=text --match=text --filename=text --extension=text
  status : !connects at:configured | -e,--exclude=text -o,--org=text
  auth : 
    status : !connects at:configured | -h,--hostname=text -a,--active -t,--show-token!secrets --json=text
    token : !secrets
    login logout refresh setup-git switch : text* !persists
  config : 
    list : | -h,--host=text
    get : text* !secrets | -h,--host=text
  api : text !connects at:configured with:curl | -X,--method=text -q,--jq=jq-filter -t,--template=text --paginate --slurp -i,--include --silent --hostname=host --cache=text -H,--header=text -p,--preview=text -f,--raw-field=text!sends -F,--field=field!sends --input=read!sends --verbose
  alias extension : !unknown
    list : 
  browse codespace copilot attestation : !unknown
`;
