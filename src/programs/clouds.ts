/** Clouds (AWS CLI 2.15, gcloud 460; Azure is in azure.ts): a server decides by the verb, so reading verbs pass and all others change something. */
export const clouds = `
@aws-read = describe-* list-* get-* head-* batch-get-* search-* lookup-* filter-log-events scan query select-object-content estimate-* check-* preview-* validate-* test-* simulate-* verify-* detect-* view-*
@aws-secret = get-secret-value batch-get-secret-value get-parameter get-parameters get-parameters-by-path get-parameter-history get-login-password get-login get-authorization-token get-session-token get-federation-token get-password-data get-token get-api-key get-api-keys get-open-id-token get-open-id-token-for-developer-identity get-credentials-for-identity get-role-credentials get-cluster-credentials get-cluster-credentials-with-iam get-credentials get-access-token get-random-password get-instance-access-details get-key-pair get-key-pairs get-relational-database-master-user-password get-workload-access-token get-resource-api-key get-resource-oauth2-token
@aws-file = get-object get-object-torrent get-job-output get-export get-sdk get-media get-clip get-media-for-fragment-list get-thing-shadow get-raw-message-content get-snapshot-block get-chunk get-package-version-asset get-map-glyphs get-map-sprites get-map-style-descriptor get-map-tile get-tile get-read-set get-reference get-configuration get-latest-configuration get-code-binding-source get-image-frame get-static-map get-style-descriptor get-glyphs get-sprites
aws : || --profile=text --region=text --output=text --query=text --no-cli-pager --no-paginate --no-sign-request --page-size=text --max-items=text --starting-token=text --color=text --no-verify-ssl!unknown --debug --cli-read-timeout=text --cli-connect-timeout=text
  || --no-cli-auto-prompt --queue-url=text --endpoint-url=url!sends --ca-bundle=read --cli-input-json=value!unknown --cli-input-yaml=value!unknown --cli-auto-prompt!unknown --cli-binary-format=text --generate-cli-skeleton=text --outfile=write --out-file=write
  s3 :
    ls : value* !connects at:configured | --recursive --human-readable --summarize --request-payer=text --bucket-name-prefix=text --bucket-region=text
    presign : value* !secrets | --expires-in=text
    cp sync mv rm mb rb website : text* !remote
  configure :
    list list-profiles : | --profile=text
    get export-credentials : text* !secrets
    set sso import add-model : text* !persists
  sts :
    get-caller-identity get-access-key-info decode-authorization-message : value* tolerant !connects at:configured
  logs :
    tail : value tolerant !connects at:configured | --since=text --follow --format=text --filter-pattern=text --log-stream-names=text --log-stream-name-prefix=text
    @aws-read : value* tolerant !connects at:configured
    start-query stop-query : value* tolerant !connects at:configured
  cloudformation :
    @aws-read : value* tolerant !connects at:configured
    wait : value* tolerant !connects at:configured
  help : !runs-code
  * :
    @aws-secret : value* tolerant !secrets !connects at:configured
    @aws-file : value* tolerant !writes !connects at:configured
    @aws-read : value* tolerant !connects at:configured
    wait : value* tolerant !connects at:configured
@gcloud-groups = compute/instances compute/disks compute/networks compute/networks/subnets compute/firewall-rules compute/addresses compute/images compute/snapshots compute/zones compute/regions compute/machine-types compute/instance-groups compute/instance-groups/managed compute/instance-templates compute/forwarding-rules compute/backend-services compute/health-checks compute/url-maps compute/target-pools compute/routers compute/routes compute/ssl-certificates compute/vpn-tunnels compute/project-info compute/disk-types compute/accelerator-types compute/target-https-proxies compute/target-http-proxies compute/security-policies compute/network-endpoint-groups container/clusters container/node-pools container/images container/operations container/images/tags iam/service-accounts iam/service-accounts/keys iam/roles iam/workload-identity-pools projects organizations resource-manager/folders resource-manager/org-policies resource-manager/tags run/services run/jobs run/revisions run/regions run/domain-mappings functions functions/regions sql/instances sql/databases sql/backups sql/operations sql/tiers sql/users sql/flags pubsub/topics pubsub/subscriptions pubsub/snapshots pubsub/schemas storage/buckets storage/objects dns/managed-zones dns/record-sets dns/policies logging/logs logging/sinks logging/metrics logging/buckets logging/views builds builds/triggers artifacts/repositories artifacts/packages artifacts/versions artifacts/docker/images artifacts/docker/tags artifacts/locations services billing/accounts billing/projects billing/budgets app/services app/versions app/instances app/regions app/domain-mappings app/ssl-certificates kms/keys kms/keyrings kms/locations kms/keys/versions secrets secrets/versions scheduler/jobs tasks tasks/queues redis/instances filestore/instances dataflow/jobs dataproc/clusters dataproc/jobs bigtable/instances bigtable/clusters spanner/instances spanner/databases spanner/backups firestore/databases firestore/indexes/composite monitoring/dashboards alpha/monitoring/policies deployment-manager/deployments endpoints/services source/repos composer/environments asset access-context-manager/policies access-context-manager/perimeters ai/models ai/endpoints eventarc/triggers workflows workflows/executions memcache/instances certificate-manager/certificates certificate-manager/trust-configs certificate-manager/maps network-security/server-tls-policies network-security/client-tls-policies network-security/gateway-security-policies network-security/authorization-policies network-security/address-groups network-services/gateways network-management/connectivity-tests network-connectivity/hubs vpc-access/connectors healthcare/datasets ml-engine/models iap/web beta/run/services deploy/delivery-pipelines deploy/releases deploy/targets identity/groups identity/groups/memberships recommender/recommendations data-catalog/entries components active-directory/domains apigee/apis batch/jobs edge-cloud/container/clusters transfer/jobs workstations
gcloud : || --project=text --format=text --filter=text --limit=text --sort-by=text --page-size=text --uri --quiet -q --verbosity=text --account=text --configuration=text --zone=text --region=text --location=text --billing-project=text --user-output-enabled --log-http
  || --flags-file=code-file --impersonate-service-account=text!privilege --access-token-file=secret
  @gcloud-groups :
    list describe get-iam-policy get-ancestors list-tags search-all-resources list-grantable-roles get-server-config : value* tolerant !connects at:configured
  info version : | --show-log
  help topic : text* !runs-code
  config :
    list get-value get : text* | --all
    set unset : text* !persists
  auth :
    list : | --filter-account=text
    print-access-token print-identity-token : text* !secrets
    login activate-service-account revoke configure-docker : text* !persists
  logging/read app/logs/read functions/logs/read run/services/logs/read builds/log : value* !connects at:configured | --freshness=text --order=text --resource-names=text
@auth0-groups = apps apis actions roles users organizations logs rules email/templates email/provider domains connections custom-domains tenants log-streams network-acl event-streams token-exchange terraform quickstarts attack-protection/breached-password-detection attack-protection/brute-force-protection attack-protection/suspicious-ip-throttling attack-protection/bot-detection universal-login ips protection roles/permissions users/roles organizations/members organizations/roles organizations/roles/members apps/session-transfer orgs orgs/members orgs/roles flows/vault
auth0 : || --tenant=text --json --json-compact --csv --no-color --no-input --debug -n=text --number=text -q=text
  @auth0-groups :
    list ls show search search-by-email diff : value* tolerant !connects at:configured | --reveal-secrets!secrets -r!secrets -f=text -p=text
terraform tofu : | -chdir=directory!unknown -version -help
  version : | -json
  fmt : read* !writes@0 | -check~ -diff -recursive -list=text -write=(false)~
  state :
    list : text* | -state=read -id=text
  workspace :
    list show : text*
    select new delete : text* !remote
  providers : !runs-code
  validate plan show output graph console init get test refresh : text* !runs-code
  apply destroy import taint untaint force-unlock login logout : text* !remote
brew : || -q --quiet -v --verbose -d --debug | --version --prefix=text? --cellar=text? --repository=text? --cache=text? --caskroom --env --config
  list ls leaves deps uses info abv desc search outdated cat formulae casks config doctor missing commands tap-info options log which-formula shellenv linkage : text*
    | --versions --formula --formulae --cask --casks --installed --json=text? --full-name --multiple --pinned -1 -l -r -t --tree --graph --include-build --include-optional --include-test --skip-recommended --installed-on-request --installed-as-dependency
    | --direct --declared --union --topological --all --analytics --github --days=text --category=text --greedy --fetch-HEAD --recursive --eval-all --desc --name -s --search -n --missing --annotate --1 --dot --for-each
  install uninstall upgrade update reinstall tap untap link unlink pin unpin cleanup services bundle fetch edit create extract bump pr-pull autoremove migrate postinstall analytics developer vendor-install sh ruby irb test tests : text* !system !runs-code
pulumi cdk sam serverless sls vercel netlify heroku flyctl fly doctl linode-cli oci ibmcloud aliyun tccli cf eb copilot amplify wrangler firebase ansible ansible-playbook ansible-galaxy ansible-vault ansible-console ansible-pull packer vault consul nomad boundary vagrant salt puppet chef-client knife : text* !remote
`;
