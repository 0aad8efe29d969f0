/** Platforms beside the big clouds, and what stands around clusters: only what reads. A server that no word and no variable can name is `at:configured`; else it only `connects`. */
export const platforms = `
# Vault 1.15, Consul 1.17, Nomad 1.7, OCI CLI 3.37, aliyun 3.0, linode-cli 5.47, scw 2.26, OpenStack client 6.5, Argo CD 2.9, Flux 2.2, Istio 1.20, Velero 1.12,
# eksctl 0.167, kops 1.28, crictl 1.29, containerd 1.7, skopeo 1.14, crane 0.17, cosign 2.2, glab 1.36, cf 8.7, IBM Cloud 2.21.
# A token and its address come from variables and the person's own file.
@vault = -format=text --format=text -namespace=text -ns=text --namespace=text -non-interactive -address=url!sends --address=url!sends -agent-address=url!sends -ca-cert=read -ca-path=read -client-cert=secret -client-key=secret -tls-server-name=text -tls-skip-verify!unknown -header=header!sends -mfa=secret -detailed --detailed -h --help -help
vault : !unknown@0 || @vault
  version :
  status version-history : !connects at:configured
  list secrets/list auth/list audit/list policy/list policy/read namespace/list plugin/list plugin/info kv/list path-help operator/key-status operator/members operator/raft/list-peers operator/raft/autopilot/state operator/raft/autopilot/get-config operator/usage : text* !connects at:configured | -mount=text -versions
  kv/metadata/get : text* !connects at:configured | -mount=text
  kv/get read unwrap print token lease kv/patch operator/init operator/generate-root operator/rekey operator/rotate pki ssh transit transform : text* !secrets !remote | -field=text -mount=text -version=text
  login : text* !secrets !persists
  write delete kv seal debug agent proxy server monitor events : text* !remote
@consul = -http-addr=url!sends --http-addr=url!sends -token=secret -token-file=secret -ca-file=read -ca-path=read -client-cert=secret -client-key=secret -tls-server-name=text -datacenter=text --datacenter=text -stale -namespace=text -partition=text -h --help -help -filter=text -format=text
consul : !unknown@0 || @consul
  version :
  members info catalog/datacenters catalog/nodes catalog/services operator/raft/list-peers operator/autopilot/get-config operator/autopilot/state operator/usage/instances rtt intention/list intention/get intention/check intention/match config/list acl/policy/list acl/policy/read acl/role/list acl/role/read acl/auth-method/list acl/binding-rule/list namespace/list namespace/read partition/list partition/read peering/list peering/read : text* !connects at:configured
    | -detailed -wan -status=text -segment=text -service=text -near=text -node-meta=text -node=text -tags -kind=text -name=text -id=text -meta
  snapshot/inspect validate : read* | -kvdetails -kvdepth=text -kvfilter=text -quiet
  # Values of the store, and tokens.
  kv/get kv/export acl/token acl/bootstrap acl/auth-method/read connect/ca/get-config config/read keyring : text* !secrets !remote | -recurse -keys -separator=text -list
  exec watch lock connect/envoy : text* !remote !runs-code
  kv agent join leave force-leave maint reload event debug monitor login logout services tls snapshot/save snapshot/restore snapshot/agent : text* !remote
@nomad = -address=url!sends -region=text -namespace=text -no-color -force-color -ca-cert=read -ca-path=read -client-cert=secret -client-key=secret -tls-server-name=text -tls-skip-verify!unknown -token=secret -verbose -json -t=text -h --help -help -per-page=text -page-token=text -filter=text
nomad : !unknown@0 || @nomad
  version :
  status server/members agent-info job/status job/history job/allocs job/deployments job/eval-status alloc/status alloc/logs node/status deployment/list deployment/status eval/list eval/status namespace/list namespace/inspect namespace/status quota/list quota/inspect quota/status volume/status plugin/status service/list service/info scaling/policy/list scaling/policy/info recommendation/list recommendation/info operator/raft/list-peers operator/autopilot/get-config operator/autopilot/health operator/scheduler/get-config acl/policy/list acl/policy/info acl/role/list acl/role/info acl/auth-method/list acl/binding-rule/list acl/token/list var/list sentinel/list license/get : text* !connects at:configured
    | -short -stats -allocs -self -os -all-allocs -evals -latest -p -full -version=text -f -tail -n=text -c -stderr -stdout -job -task=text -detailed -type=text -monitor -status=text -quiet -node=text
  # What a job is given stands in its description, and values in variables.
  job/inspect var/get acl/token acl/bootstrap operator/keyring operator/root : text* !secrets !remote
  job alloc node deployment eval namespace quota volume system operator var acl agent server ui fmt monitor run stop plan validate exec logs : text* !remote

@oci-services = analytics announce api-gateway apm-control-plane apm-domain application-migration artifacts audit autoscaling bastion bds blockchain budgets bv ce certs certs-mgmt cloud-guard compute compute-management container-instances data-catalog data-integration data-safe data-science database-migration db devops dns dts em-warehouse email events fn fs governance-rules-control-plane health-checks iam instance-agent integration lb license-manager limits log-analytics logging marketplace media-services monitoring mysql nbl network network-firewall nlb nosql oce oda ons opensearch opsi optimizer organizations os-management osub-subscription psql redis resource-manager rover sch search service-catalog service-manager-proxy threat-intelligence usage usage-api visual-builder vn-monitoring vulnerability-scanning waa waas waf work-requests
# The verb is the third word, and none of them takes an operand. The endpoint may come from variables and from a file of settings.
oci : || --output=(json|table) --query=text --profile=text --auth=text -d,--debug!secrets --raw-output --all --region=text --compartment-id=text -c=text --cli-auto-prompt!unknown --endpoint=url!sends --config-file=code-file --cli-rc-file=code-file --cert-bundle=read --from-json=value!unknown --file=write-stream --proxy=url!sends --defaults-file=code-file --realm-specific-endpoint!unknown --auth-purpose=text!unknown -h --help -? -i=text
  secrets vault kms : !remote@0
    secret-bundle : text* !secrets !remote
    secret vault key management/key management/key-version : !unknown@0
      list get : value* tolerant !connects
  session setup raw-request queue streaming os/object os/preauth-request os/bulk data-flow db/autonomous-database/generate-wallet ce/cluster/create-kubeconfig : text* !remote
  @oci-services :
    * :
      list list-* get summarize-* : value* tolerant !connects
@aliyun-products = ecs vpc slb alb nlb rds ram cs cr cdn dds kvstore polardb ess cms dms ots fc actiontrail cas domain alidns mns ros nas hbase elasticsearch ens emr gpdb cvm cbs clb tke cdb redis mongodb cos cls cam tcr scf apigateway dnspod ssl as monitor
# The verb is the API's own name of the operation.
aliyun tccli : || --profile=text -p=text --region=text --RegionId=text --output=text -o=text --quiet -q --language=text --lang=text --dryrun --pager=text? --waiter=text --endpoint=host!sends --config-path=code-file --header=header!sends --body=text!sends --body-file=read!sends --method=text!unknown --roa=text!unknown --force --version=text --secure --insecure!unknown --access-key-id=secret --access-key-secret=secret --sts-token=secret --secretId=secret --secretKey=secret --token=secret --cli-input-json=read!sends --cli-unfold-argument --mode=text!privilege --ram-role-arn=text!privilege -h --help
  version :
  @aliyun-products :
    DescribeClusterUserKubeconfig DescribeClusterCerts DescribeClusterKubeconfig DescribeClusterSecurity DescribeClusterAccess DescribeUserData DescribeInstanceVncUrl DescribeInstanceVncPasswd DescribeInstancesModification DescribeSslVpnClientCert DescribeVpnConnection DescribeVpnConnections DescribeVpnSslServers DescribeKeyPairs DescribeDBInstanceSSL DescribeAccounts DescribeSecret DescribeSecretVersionIds DescribeImageSharePermission DescribeStackResources : text* !secrets !remote
    Describe* List* : value* tolerant !connects
  configure oss auth : text* !secrets !remote
@linode-groups-plain = account betas domains events firewalls images longview managed networking nodebalancers object-storage phone placement sshkeys stackscripts tags tickets users vlans volumes vpcs
linode-cli : || --text --json --markdown --ascii-table --delimiter=text --pretty --no-headers --all --all-columns --format=text --page=text --page-size=text --all-rows --no-defaults --no-retry --no-truncation --column-width=text --single-table --suppress-warnings --table=text --order-by=text --order=text --debug!secrets --as-user=text!privilege --no-registered -h --help
  lke : 
    clusters-list cluster-view pools-list pool-view versions-list version-view types api-endpoints-list node-view nodes-list : text* tolerant !connects
    kubeconfig-view cluster-dashboard-url : text* !secrets !remote
  databases :
    list ls view engines engine-view types type-view mysql-list mysql-view mysql-backups-list mysql-backup-view postgresql-list postgresql-view postgresql-backups-list : text* tolerant !connects
    mysql-creds-view postgresql-creds-view mysql-ssl-cert postgresql-ssl-cert : text* !secrets !remote
  linodes :
    list ls view types type-view backups-list backup-view configs-list disks-list disk-view ips-list ip-view firewalls-list volumes nodebalancers transfer-view stats transfer-stats-list config-interfaces-list interfaces-list interface-view : text* tolerant !connects
  @linode-groups-plain :
    list ls view types type-view settings availability network-transfer-prices records-list record-view rules-list devices-list device-view availability-list avail-view configs-list nodes-list config-view node-view ips-list ip-view ipv6-ranges ipv6-pools v6-pools v6-ranges vlans-list clusters-list clusters-view endpoints keys-list regions-list types-list mark-seen groups-list services-list notifications-list invoices-list invoice-view payments-list transfer subnets-list subnet-view event-list : text* tolerant !connects
  show-users regions regions/list kernels/list : !connects
  configure completion image-upload ssh obj set-user remove-user register-plugin remove-plugin : text* !remote
@scw-groups = account/project account/ssh-key applesilicon/os applesilicon/server applesilicon/server-type baremetal/offer baremetal/os baremetal/options baremetal/server billing/consumption billing/invoice block/snapshot block/volume block/volume-type cockpit/plan container/cron container/domain container/namespace dns/zone dns/record domain fip function/domain function/namespace function/runtime function/trigger iam/application iam/group iam/log iam/permission-set iam/policy iam/rule iam/ssh-key iam/user instance/image instance/ip instance/placement-group instance/private-nic instance/security-group instance/server instance/server-type instance/snapshot instance/volume instance/volume-type inference/model iot/device iot/hub iot/network iot/route ipam/ip jobs/definition jobs/run k8s/acl k8s/cluster k8s/cluster-type k8s/node k8s/pool k8s/version lb/acl lb/backend lb/certificate lb/frontend lb/ip lb/lb lb/lb-types lb/private-network lb/route lb/subscriber marketplace/image marketplace/local-image marketplace/version mongodb/instance mongodb/node-type mongodb/version rdb/acl rdb/backup rdb/database rdb/engine rdb/instance rdb/node-type rdb/privilege rdb/setting rdb/snapshot rdb/user redis/acl redis/cluster redis/node-type redis/version redis/zone registry/image registry/namespace registry/tag secret/secret tem/domain vpc/private-network vpc/route vpc/subnet vpc/vpc vpc-gw/dhcp vpc-gw/dhcp-entry vpc-gw/gateway vpc-gw/gateway-network vpc-gw/gateway-type vpc-gw/pat-rule webhosting/hosting webhosting/offer
# Arguments are name=value, and @ reads a file.
scw : || -o=text --output=text -D,--debug!secrets -p=text --profile=text -c=code-file --config=code-file -h --help
  version :
  @scw-groups :
    list get : field* !connects
  config/info config/path : 
  config object/config k8s/kubeconfig init info registry/login shell feedback login secret/version : text* !secrets !remote
# A file of clouds in the working directory may name the server.
@openstack-nouns = server server/group server/event server/volume server/migration image flavor network subnet subnet/pool port router floating/ip security/group security/group/rule volume volume/type volume/snapshot volume/backup volume/service snapshot hypervisor hypervisor/stats aggregate availability/zone compute/service compute/agent network/agent project domain user role role/assignment group service endpoint region keypair quota limits extension catalog address/scope address/group ip/availability network/flavor network/qos/policy network/qos/rule network/rbac network/segment network/trunk object object/store/account container stack stack/resource stack/event stack/template loadbalancer loadbalancer/listener loadbalancer/pool loadbalancer/member loadbalancer/healthmonitor zone recordset coe/cluster coe/cluster/template baremetal/node baremetal/port share share/type share/network access/rule host usage configuration versions module command orchestration/service
# Without a verb it takes commands from its standard input, of which one that begins with ! is a shell's.
openstack : !runs-code || -f=text --format=text -c=text --column=text --quote=text --noindent --fit-width --max-width=text --print-empty --sort-column=text --sort-ascending --sort-descending --long --name=text --all --all-projects --limit=text --marker=text --project=text --os-cloud=text --os-region-name=text --os-project-name=text --os-auth-url=url!sends --os-token=secret --os-password=secret --os-username=text --os-cacert=read --os-cert=secret --os-key=secret --insecure!unknown --timing -q,--quiet -v,--verbose -h --help --version
  @openstack-nouns :
    list show : text* !connects
  token credential ec2/credentials secret console/url application/credential : text* !secrets !remote
s3cmd : || -H,--human-readable-sizes -v,--verbose -q,--quiet -r,--recursive -l,--long-listing --list-md5 --list-allow-unordered --limit=text --region=text --no-progress --no-ssl!unknown --no-check-certificate!unknown --host=host!sends --host-bucket=text!sends -c,--config=code-file --access_key=secret --secret_key=secret --access_token=secret -d,--debug!secrets --stats --encoding=text | --version --dump-config!secrets --configure!persists
  ls la du info multipart listmp getpolicy getlifecycle getnotification cflist cfinfo ws-info : value* !connects
  signurl : text* !secrets
  get put sync cp mv del rm rb mb modify setacl setpolicy delpolicy setcors delcors restore expire accesslog sign fixbucket : text* !remote
# A remote may be written out with a program to start: only what asks no remote.
rclone : !unknown@0 || -q,--quiet -v,--verbose --config=code-file --log-file=write --password-command=code --use-json-log --log-level=text
  version : | --check!connects
  listremotes : | --long --json --type=text
  help : text*
  config : !unknown@0
    file paths : 
    show dump userinfo touch redacted : text* !secrets
    create update delete password reconnect disconnect edit encryption : text* !persists !secrets

@kubes = -n=text --namespace=text --context=text --kube-context=text --kubecontext=text --kubeconfig=code-file --cluster=text -A --all-namespaces -o=text --output=text -l=text --selector=text --as=text!privilege --as-group=text!privilege --request-timeout=text -h --help -q --quiet -v --verbose --no-color --server=url!sends --token=secret --insecure-skip-tls-verify!unknown --certificate-authority=read --client-certificate=secret --client-key=secret --tls-server-name=text --cache-dir=write --no-headers --show-labels
argocd : !unknown@0 || -o=text --output=text -l=text --selector=text --server=host!sends --auth-token=secret --config=code-file --header=header!sends -H=header!sends --insecure!unknown --plaintext!unknown --core!unknown --port-forward!unknown --port-forward-namespace=text --grpc-web --grpc-web-root-path=text --kube-context=text!unknown --logformat=text --loglevel=text --server-crt=read --client-crt=secret --client-crt-key=secret -N=text -p=text --project=text --app-namespace=text -h --help
  version : !connects | --client --short
  context :
  app/list app/get app/history app/manifests app/resources app/logs app/diff cluster/list cluster/get repo/list repo/get repocreds/list proj/list proj/get proj/windows/list proj/role/list proj/role/get account/list account/get account/get-user-info account/can-i cert/list gpg/list gpg/get appset/list appset/get : text* !connects | --show-operation --show-params -c=text --cluster=text --repo=text -r=text --revision=text --source=text --tail=text -f --follow --since-seconds=text --container=text --kind=text --group=text --name=text --orphaned --refresh!remote --hard-refresh!remote --local=code!sends --exit-code --previous --filter=text
  app cluster repo repocreds proj account cert gpg appset admin login logout relogin configure completion : text* !remote !secrets
flux : !unknown@0 || @kubes --timeout=text --kube-api-burst=text --kube-api-qps=text --watch -w --status-selector=text
  version : !connects at:configured | --client
  check : !connects at:configured | --pre --components=text --components-extra=text
  get/all get/kustomizations get/kustomization get/ks get/helmreleases get/helmrelease get/hr get/sources/all get/sources/git get/sources/helm get/sources/chart get/sources/bucket get/sources/oci get/alerts get/alert get/alert-providers get/receivers get/images/all get/images/policy get/images/repository get/images/update stats events logs tree/kustomization tree/ks trace : text* !connects at:configured | --compact --kind=text --name=text --level=text --since=text --since-time=text --tail=text -f --follow --flux-namespace=text --for=text --types=text --api-version=text
  export/kustomization export/helmrelease export/source/helm export/alert export/receiver export/image/policy export/image/repository export/image/update : text* !connects at:configured | --all
  # With credentials, or with what was rendered.
  export debug : text* !secrets !remote
  create delete reconcile suspend resume bootstrap install uninstall push pull list diff build tag envsubst migrate completion : text* !remote !unknown
istioctl : !unknown@0 || @kubes -i=text --istioNamespace=text --revision=text --vklog=text --log_output_level=text
  version : !connects | --remote=text? -s --short
  proxy-config pc : !unknown@0
    cluster clusters c route routes r listener listeners l endpoint endpoints ep bootstrap b ecds : text* !connects | --fqdn=text --port=text --address=text --direction=text --subset=text --name=text --type=text --status=text --verbose --waypoint --proxy-admin-port=text -f=read --file=read
    secret secrets all rootca-compare : text* !secrets !remote
    log : text* !remote
  profile/list profile/dump profile/diff tag/list waypoint/list waypoint/status remote-clusters : text* !connects
  proxy-status ps : text* !connects | --xds-address=host!sends --xds-label=text --file=read -f=read
  # Files that are named are read, and the cluster.
  analyze : read* !connects | --use-kube=text? -k --recursive -R --failure-threshold=text --output-threshold=text --suppress=text -S=text --list-analyzers -L --color=text? --ignore-unknown --timeout=text
  validate : !connects | -f=read --filename=read --referential=text?
  install uninstall upgrade operator manifest kube-inject bug-report dashboard dash d admin experimental x create-remote-secret : text* !remote !runs-code
velero : !unknown@0 || @kubes
  version : !connects at:configured | --client-only --timeout=text
  get/backups get/backup get/restores get/restore get/schedules get/schedule get/plugins get/backup-locations get/snapshot-locations get/repositories get/repo backup/get restore/get schedule/get backup-location/get snapshot-location/get repo/get plugin/get describe/backups describe/restores describe/schedules schedule/describe client/config/get : text* !connects at:configured | --details --show-fields=text
  # Logs and volumes are fetched from where the cluster says.
  backup/describe backup/logs restore/describe restore/logs : text* !connects | --details --insecure-skip-tls-verify!unknown --cacert=read --colorized=text? --timeout=text
  backup restore schedule backup-location snapshot-location repo plugin create delete debug install uninstall client completion : text* !remote
stern : text !connects | @kubes -c=text --container=text -E=text --exclude-container=text --container-state=text -e=text --exclude=text -i=text --include=text -H=text --highlight=text -s=text --since=text -t --timestamps=text? --tail=text --template=text --color=text --init-containers --ephemeral-containers --max-log-requests=text --no-follow --only-log-lines --field-selector=text --node=text --exclude-pod=text --diff-container --condition=text --timezone=text  | --template-file=read --config=code-file
eksctl : !unknown@0 || -r=text --region=text -p=text --profile=text --timeout=text -C=text --color=text -v=text --verbose=text -o=text --output=text -f=read!sends --config-file=read!sends --cluster=text --name=text -n=text --chunk-size=text -A --all-regions -h --help
  version : 
  info :
  get/cluster get/clusters get/nodegroup get/nodegroups get/ng get/labels get/addon get/addons get/fargateprofile get/fargateprofiles get/iamserviceaccount get/iamserviceaccounts get/iamidentitymapping get/identityprovider get/podidentityassociation get/accessentry utils/describe-stacks utils/describe-addon-versions utils/describe-addon-configuration utils/describe-cluster-versions : text* !connects at:configured | --nodegroup-name=text --addon=text --kubernetes-version=text --all --events --trail
  utils/schema :
  create delete scale upgrade drain enable set unset associate disassociate register deregister utils anywhere completion : text* !remote
# Where its state is comes from a variable or an option.
kops : !unknown@0 || --name=text --state=url!sends --config=code-file -o=text --output=text -v=text -h --help --kubeconfig=code-file
  version : | --short
  get/clusters get/cluster get/instancegroups get/instancegroup get/ig get/instances get/all get/assets get/sshpublickeys validate/cluster : text* !connects | --full --wait=text --count=text
  get/secrets get/secret get/keypairs get/keypair toolbox/dump : text* !secrets !remote
  create delete edit export get replace rolling-update toolbox trust update upgrade reconcile promote distrust rotate : text* !remote
# A context is switched to when one is named.
kubectx : text !persists@1 | -c,--current -h -V
kubens : text !persists@1 | -c,--current -h -V
# A variable may name the socket, or another machine.
crictl : !unknown@0 || -D,--debug -t,--timeout=text -r,--runtime-endpoint=text!unknown -i,--image-endpoint=text!unknown -c,--config=code-file --tracing-endpoint=text!sends
  ps pods images image img inspect inspecti inspectp info version stats statsp imagefsinfo logs metricsp : text* !connects | -a --all -q --quiet -o=text --output=text --no-trunc --name=text --label=text --pod=text -p=text --state=text -s=text --image=text --latest -l --last=text -n=text --namespace=text -v --verbose --digests --id=text --template=text -f --follow --tail=text --since=text --timestamps -t --previous -w --watch --seconds=text
  exec run start stop stopp rm rmi rmp create attach port-forward pull update config checkpoint runp completion events : text* !remote
ctr : !unknown@0 || --debug -n,--namespace=text -a,--address=text!unknown --timeout=text --connect-timeout=text
  version images/ls images/list images/check i/ls image/ls containers/ls containers/list containers/info c/ls container/ls tasks/ls tasks/list tasks/ps t/ls task/ls namespaces/ls namespaces/list ns/ls plugins/ls plugins/list snapshots/ls snapshots/list snapshots/info snapshots/usage snapshots/tree leases/ls leases/list content/ls content/list : text* !connects | -q --quiet -d --detailed
  images image i containers container c tasks task t namespaces ns snapshots snapshot content leases run events install pprof shim oci sandboxes info : text* !remote
buildah : !unknown@0 | --log-level=text
  images containers : text* | -a,--all --digests -f,--filter=text --format=text --json -n,--noheading --no-trunc -q,--quiet --history
  info version : | -d,--debug --format=text --json
  inspect : text | -f,--format=text -t,--type=text
  run bud build build-using-dockerfile from copy add commit config push pull rm rmi mount umount unmount unshare login logout manifest prune rename tag source mkcw : text* !remote !runs-code
skopeo : !unknown@0 || --debug --command-timeout=text --override-arch=text --override-os=text --override-variant=text --tls-verify=text?!unknown --insecure-policy!unknown --policy=code-file --registries.d=code-file --registries-conf=code-file --tmpdir=write
  inspect list-tags : url !connects | --raw --config -f,--format=text -n,--no-tags --retry-times=text --no-creds --creds=secret!sends --username=text --password=secret!sends --authfile=secret --cert-dir=secret --registry-token=secret!sends --daemon-host=text!unknown --shared-blob-dir=write
  manifest-digest : read
  copy delete sync login logout generate-sigstore-key layers proxy standalone-sign experimental-image-proxy : text* !publishes !writes
  standalone-verify : text* !unknown
crane : !unknown@0 || --platform=text -v,--verbose --insecure!unknown --allow-nondistributable-artifacts
  version :
  # The registry itself.
  catalog : host !connects | --full-ref
  manifest digest config ls : package* !connects at:configured | --full-ref -O,--omit-digest-tags --tarball=read
  validate : !connects | --remote=package --tarball=read --fast
  append auth blob copy cp delete export flatten index mutate pull push rebase tag registry : text* !publishes !writes
cosign : !unknown@0 | -t,--timeout=text -d,--verbose --output-file=write
  version : | --json
  tree triangulate : package !connects
  sign sign-blob attest attest-blob attach generate generate-key-pair import-key-pair initialize load save copy clean upload login verify verify-blob verify-attestation public-key download env manifest dockerfile piv-tool pkcs11-tool : text* !publishes !secrets
# Its resources may stand on machines that its files name.
kustomize : !unknown@0
  version : | --short -o=text --output=text
  build : read-tree !connects | --enable-helm!runs-code --helm-command=code --enable-alpha-plugins!runs-code --enable-exec!runs-code --enable-star!runs-code -o=write --output=write --load-restrictor=text --reorder=text --as-current-user --enable-managedby-label
  cfg/tree cfg/cat cfg/count cfg/grep : read-tree
  edit create fn localize cfg : text* !writes !runs-code
# The repository's own settings name the server.
glab : || -R,--repo=forge -h --help
  version : 
  mr issue release ci pipeline job label milestone snippet incident iteration schedule : !unknown@0
    list ls view show diff status get trace issues approvers for : text* !connects | -F=text --output=text -P,--per-page=text -p,--page=text -a=text --assignee=text --author=text -l,--label=text -m,--milestone=text -A,--all -c,--closed -M,--merged -d,--draft --search=text -s,--source-branch=text -t,--target-branch=text --reviewer=text -g,--group=text --not-author=text --not-draft -b=text --branch=text --raw --color=text -C,--comments --system-logs --sort=text --order=text --web!runs-code -w!runs-code
    create update close reopen merge approve revoke rebase checkout note delete todo subscribe unsubscribe run retry trigger cancel upload download lint : text* !publishes
  repo : !unknown@0
    list view search contributors : text* !connects | -F=text --output=text -P,--per-page=text -p,--page=text -a -m -s=text --search=text -b=text --branch=text -g=text --group=text -u=text --user=text -w!runs-code --web!runs-code -o=text --order=text
    create clone fork archive delete transfer mirror members update publish : text* !publishes !writes
  auth/status : !connects | -a,--all --hostname=host!sends -t,--show-token!secrets
  auth config variable api token securefile deploy-key ssh-key cluster opentofu : text* !secrets !publishes
  alias/list :
  alias duo changelog mcp : text* !runs-code
# Cloud Foundry: the target is the person's own setting.
cf : || -v --version -h --help
  version : 
  target : | -o=text!persists -s=text!persists
  apps a app services s service marketplace m orgs o org spaces space buildpacks stacks stack domains routes r route events feature-flags feature-flag quotas quota org-quotas space-quotas security-groups security-group running-security-groups staging-security-groups isolation-segments network-policies tasks droplets packages revisions org-users space-users service-brokers service-access plugins repo-plugins list-plugin-repos lookup-group check-route ssh-enabled space-ssh-allowed labels : text* !connects | --guid --no-apps --labels=text --space --org=text --no-plans -e=text -b=text --show-unavailable --params --hostname=text --path=text --orglevel
  logs : text* !connects | --recent
  env e oauth-token service-key service-keys sk ssh-code curl passwd : text* !secrets !remote
  push p delete d restart rs restage stop start scale ssh set-env se unset-env bind-service bs unbind-service us create-service cs delete-service ds login l logout lo auth api install-plugin uninstall-plugin run-task map-route unmap-route run : text* !remote
# What else a command of these does stands on somebody's machines.
ibmcloud : || --output=text --json -q --quiet -h --help
  version regions account/list account/show account/orgs plugin/list plugin/repos resource/groups resource/group resource/service-instances resource/service-instance resource/quotas resource/quota resource/search resource/tags catalog/service-marketplace catalog/search iam/access-groups iam/access-group iam/users iam/roles iam/services iam/service-ids iam/service-id iam/user-policies is/instances is/instance is/instance-profiles is/images is/image is/keys is/vpcs is/vpc is/subnets is/subnet is/floating-ips is/security-groups is/security-group is/volumes is/volume is/load-balancers is/regions is/zones is/network-acls is/public-gateways is/snapshots is/snapshot ks/clusters ks/workers ks/worker-pools ks/zones ks/versions ks/flavors ks/locations ks/cluster/ls ks/cluster/get ks/worker/ls ks/worker/get ks/worker-pool/ls ks/worker-pool/get ks/zone/ls ks/ingress/alb/ls oc/cluster/ls oc/cluster/get cr/images cr/image-list cr/namespaces cr/namespace-list cr/quota cr/region ce/project/list ce/app/list ce/job/list ce/build/list dev/list cos/buckets cos/objects cdn/list dns/zones dns/resource-records : text* tolerant !connects
  iam oauth-tokens resource login logout target api config plugin ks is cr secrets-manager kp ce cos sl fn : text* !secrets !remote
# It hands over to the project's own installation.
serverless sls : text* !remote !runs-code | -[vVh] --version --help
# Behind a verb --version is something else to some of them: \`eb deploy --version v1\` deploys that one.
sam eb copilot boundary salt puppet chef-client : text* !remote@0
# Asked for help, they load the Vagrantfile, or the plug-ins of .chef.
vagrant knife : text* !remote@0 | --help!runs-code
# It asks yarn for its version too, which may be a program that .yarnrc names.
amplify : text* !remote@0 | --version!runs-code
# A file of variables in the working directory may name the server that gets the person's token; firebase keeps a log there, and
# asks the registry of .npmrc for a newer version of itself.
wrangler : text* !remote@0
firebase : text* !remote@0 | --version!writes!connects --help!writes!connects
`;
