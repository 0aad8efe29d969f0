/** The network: fetching, sending, looking (curl 8.5, wget 1.21, OpenSSH 9.2, iproute2 6.1, bind 9.18). */
export const network = `
curl : url* with:curl
  | -[fgiIjLklNqsSvV01246] -G,--get -[aJR] --silent --show-error --location --location-trusted --fail --fail-with-body --fail-early --head --include --show-headers --insecure --compressed --verbose --no-buffer --progress-bar --no-progress-meter
  | --globoff --http1.0 --http1.1 --http2 --http2-prior-knowledge --http3 --http3-only --ipv4 --ipv6 --tlsv1 --tlsv1.0 --tlsv1.1 --tlsv1.2 --tlsv1.3 --tls-max=text --ssl --ssl-reqd --sslv2 --sslv3 --disable --path-as-is
  | --junk-session-cookies --no-keepalive --no-sessionid --raw --tr-encoding --list-only --append!sends --clobber --no-clobber --trace-config=text --ech=text --create-dirs --remote-time --remove-on-error --styled-output --no-styled-output --no-location --no-silent
  | -m,--max-time=text --connect-timeout=text --retry=text --retry-delay=text --retry-max-time=text --retry-connrefused --retry-all-errors --limit-rate=text --max-redirs=text --max-filesize=text -y,--speed-time=text -Y,--speed-limit=text
  | -A,--user-agent=header -e,--referer=header -H,--header=header -X,--request=text -r,--range=text -C,--continue-at=text -z,--time-cond=read --url=url --url-query=encoded --parallel --parallel-max=text -Z -:,--next
  | -B,--use-ascii --ca-native --cert-status --cert-type=(PEM|DER|P12) --compressed-ssh --crlf --crlfile=read --curves=text --disable-eprt --disable-epsv --disallow-username-in-url --doh-cert-status --expect100-timeout=text --false-start
  | --ftp-method=(multicwd|nocwd|singlecwd) --ftp-pasv --ftp-pret --ftp-skip-pasv-ip --ftp-ssl-ccc --ftp-ssl-ccc-mode=(active|passive) --ftp-ssl-control --happy-eyeballs-timeout-ms=text --hostpubmd5=text --hostpubsha256=text --http0.9 --ignore-content-length
  | --ip-tos=text --keepalive-cnt=text --key-type=(PEM|DER) --login-options=header --mptcp --no-alpn --no-npn --parallel-immediate --parallel-max-host=text --pinnedpubkey=read --post301 --post302 --post303 --rate=text --request-target=header
  | --sasl-ir --skip-existing --ssl-allow-beast --ssl-no-revoke --ssl-revoke-best-effort --ssl-auto-client-cert --suppress-connect-headers --tcp-fastopen --tcp-nodelay --tftp-blksize=text --tftp-no-options --tls13-ciphers=text --tls-earlydata --vlan-priority=text --signature-algorithms=text
  | --no-compressed --no-fail --no-head --no-include --no-insecure --no-show-error --no-verbose --no-tcp-nodelay --no-globoff --no-ipv4 --no-list-only --no-parallel --no-ssl --no-tr-encoding --no-remote-name --no-remote-time
  | --ciphers=text --proto=text --proto-default=text!unknown --proto-redir=(-all,https|-all,http,https|-all,https,http|=https|=http,https|=https,http|https|http,https|https,http) --interface=text --local-port=text --keepalive-time=text --resolve=text!unknown --connect-to=connect-to --dns-servers=text!unknown --doh-url=url
  | -o,--output=write-stream --output-dir=write -O,--remote-name!writes --remote-name-all!writes --remote-header-name!writes -D,--dump-header=write-stream -c,--cookie-jar=write-stream --trace=write-stream --trace-ascii=write-stream --trace-time --trace-ids --stderr=write-stream --libcurl=write-stream
  | --etag-save=write --etag-compare=read!sends --hsts=write --alt-svc=write -w,--write-out=curl-format --xattr
  | -d,--data,--data-ascii,--data-binary,--json=data --data-urlencode=encoded --data-raw=text -F,--form=form --form-string=text!sends -T,--upload-file=read!sends -b,--cookie=text!sends -u,--user=secret!sends --oauth2-bearer=secret!sends
  | --variable=text!unknown -K,--config=code-file -n,--netrc!secrets --netrc-file=secret --netrc-optional!secrets -E,--cert=secret --key=secret --cacert=read --capath=read --pass=secret --proxy-user=secret --basic --digest --anyauth --ntlm!secrets --negotiate!secrets --proxy-basic --proxy-digest --proxy-anyauth --proxy-ntlm!secrets --proxy-negotiate!secrets --delegation=text!secrets --aws-sigv4=text!sends
  | -x,--proxy=url!sends --preproxy=url!sends --socks4=url!sends --socks4a=url!sends --socks5=url!sends --socks5-hostname=url!sends --unix-socket=write!sends --abstract-unix-socket=text!sends --noproxy=text -p,--proxytunnel!sends
  | -P,--ftp-port=text!unknown -Q,--quote=text!sends -t,--telnet-option=text!sends --mail-from=text!sends --mail-rcpt=text!sends --engine=code --krb=text -M,--manual --help=text -h=text
# What it goes through by links it saves first, and deletes again with --spider. In the background it writes a log.
wget : url* !writes@0 with:curl
  | -V~ --spider~ -O,--output-document=write-stream~ -[qvcNxLSknHKE46] -b,--background!writes -B,--base=url --quiet --no-verbose --verbose --continue --timestamping --server-response --timeout=text -T=text -t,--tries=text -w,--wait=text --waitretry=text --random-wait
  | -nv -nc -nd -nH -np --no-clobber --no-directories --no-host-directories --no-parent --convert-links --adjust-extension -p,--page-requisites!writes!deletes -m,--mirror!writes!deletes -r,--recursive!writes!deletes -l,--level=text -A,--accept=text -R,--reject=text
  | -U,--user-agent=header --header=header --referer=header --limit-rate=text --max-redirect=text --no-check-certificate --no-cookies --no-cache --no-proxy --show-progress --progress=text --content-disposition --trust-server-names
  | -F,--force-html --report-speed=(bits) --no-config --retry-on-http-error=text --retry-on-host-error --start-pos=text -Q,--quota=text --bind-address=text --no-dns-cache --restrict-file-names=text --ignore-case --no-iri --local-encoding=text --remote-encoding=text --force-directories
  | --protocol-directories --cut-dirs=text --ignore-length --compression=(auto|gzip|none) --save-headers --no-http-keep-alive --keep-session-cookies --content-on-error --secure-protocol=text --certificate-type=(PEM|DER) --private-key-type=(PEM|DER) --ca-directory=read --crl-file=read --ciphers=text
  | --accept-regex=text --reject-regex=text --regex-type=(posix|pcre) --exclude-domains=text --follow-ftp --follow-tags=text --ignore-tags=text --span-hosts --relative --include-directories=text --exclude-directories=text --no-passive-ftp --no-glob --preserve-permissions --retr-symlinks
  | --no-if-modified-since --no-use-server-timestamps --prefer-family=text --no-warc-compression --no-netrc --strict-comments --default-page=text --pinnedpubkey=read
  | -P,--directory-prefix=write --inet4-only --inet6-only --https-only --no-hsts --method=text --retry-connrefused --dns-timeout=text --connect-timeout=text --read-timeout=text -D,--domains=text -X=text
  | -o,--output-file=write-stream -a,--append-output=write -i,--input-file=read!sends --save-cookies=write --load-cookies=read!sends --warc-file=write --hsts-file=write --rejected-log=write -e,--execute=code --config=code-file --use-askpass=code
  | --post-data=text!sends --post-file=read!sends --body-data=text!sends --body-file=read!sends --user=secret!sends --password=secret!sends --certificate=secret --private-key=secret --ca-certificate=read --delete-after!deletes
http https xh : !sends
ssh autossh mosh sshpass : text* !remote@0 first
  | -V~ -[46AaCfGgKkMNnqsTtvXxYy] -[BbcDeJLlmOpQRSWw]=text -o=ssh-option -F=code-file -E=write -I=code -i=read -P=text
scp : source* target !sends | -[346ABCpqrTvOR] -[clPX]=text -o=ssh-option -F=code-file -S=code -i=read -J=text -D=code -s
sftp : text* !sends !unknown | -[46ACpqrv] -[BclPXR]=text -o=ssh-option -F=code-file -S=code -D=code -b=code-file -i=read -J=text
# A fingerprint, a line of known_hosts or a certificate tells no secret. -H and -R rewrite known_hosts, -y prints what belongs to a private key.
ssh-keygen : text* !secrets@0 | -l~ -L~ -B~ -F=text~ -[tbCNP]=text!secrets -[qy]!secrets -v -f=read -E=text -H!writes -R=text!writes
ssh-add : !secrets@0 | -l~ -L~ -E=text -v -q
ssh-agent ssh-copy-id ssh-keyscan gpg gpg2 age pass : text* !secrets
rsync : read* write !unknown
  | -[avzrlptgoDnhPqcuHAXSxRWikCdLKEmy] -e,--rsh=code --rsync-path=code --delete!deletes --dry-run --exclude=text --include=text --progress --stats --partial
ping ping6 : host !connects | -[46aAbBdDfhLnOqrRUvV] -[cFIilmMNpQsStTwW]=text
traceroute tracepath : host text !connects | -[46nrbTIU] -[mqpw]=text
mtr : host !connects | -[46nrwbTuzj] --json -[mcis]=text --report --tcp
# A name that is looked up reaches a server that its owner chose: what is in the name is sent.
# One that is known as the type or the class of a record is no name; those of a transfer of a whole zone are not among them.
dig kdig delv : record* !connects | -[46xv] -[ptcb]=text -q=host -f=read!sends +short +trace
  # How the answer looks, and how it is asked for. What adds to the question (+subnet, +ednsopt) or names a file is not among them.
  | +noshort +all +noall +answer +noanswer +authority +noauthority +additional +noadditional +question +noquestion +stats +nostats +cmd +nocmd +comments +nocomments +rrcomments +norrcomments +multiline +nomultiline +ttlid +nottlid +ttlunits +class +noclass +crypto +nocrypto +identify +qr +noqr +yaml
  | +recurse +norecurse +rec +norec +rdflag +nordflag +tcp +notcp +vc +dnssec +nodnssec +do +nodo +cdflag +cd +adflag +ad +noadflag +edns +noedns +notrace +nsid +nonsid +time=text +timeout=text +tries=text +retry=text +bufsize=text
host : host* !connects | -[46avT] -[ptc]=text
nslookup : host* !connects | -[tqcp]=text?
whois : host* !connects | -[aHIlLmMrRdKGBbx] -p=text
# Its -q and -w write, and its -c names a file that says which server is asked.
drill : host* !connects | -[46DTSQsuatx] -[pbV]=text
nc ncat netcat socat telnet tcpdump tshark wireshark nmap masscan ngrok cloudflared websocat smbclient ldapsearch ftp tftp lftp aria2c axel : text* !sends
# Objects may be abbreviated. What xfrm and macsec show holds keys; a batch is a file of commands.
ip : | -[468BM0D] -s -statistics --statistics -d -details --details -o -oneline --oneline -t -timestamp --timestamp -ts -tshort --tshort -br -brief --brief -j -json --json -p -pretty --pretty -h -human -human-readable --human --human-readable -iec --iec -r -resolve --resolve -N -Numeric --Numeric -a -all --all -echo --echo
  | -c -color=text? --color=text? -stats --stats -V -Version --Version -f=text -family=text --family=text -l=text -loops=text --loops=text -rc=text -rcvbuf=text --rcvbuf=text -n=text -netns=text --netns=text -b=code-file!system -batch=code-file!system --batch=code-file!system -force --force
  addr ad add addre addres address a route r ro rou rout neigh neighbor neighbour n ne nei rule ru rul :
    show list ls lst sh sho li lis l s : text*
    get : text*
  # Of a link the letter s sets, and so it may of what else is not listed above.
  link l li lin addrl addrla addrlab addrlabe addrlabel tunnel tu tun tunn tunne tunt tunta tuntap t m ma mad madd maddr maddre maddres maddress mr mro mrou mrout mroute mru mrul mrule nt nta ntab ntabl ntable netconf netc nexthop nex next token to tok tcp_metrics tcpmetrics vrf v vr sr l2tp l2 mptcp mp ioam stats st sta stat netns :
    show list ls lst sh sho li lis l : text*
    get : text*
    identify pids : text
    session tunnel tunsrc : !unknown@0
      show list : text*
    limits endpoint schema namespace hmac : !unknown@0
      show list : text*
  # A file that is named behind the word file is read.
  monitor mon : text* !unknown@2
  xfrm macsec : text* !secrets
  help : text*
# A filter of ss may name hosts, which are looked up: what is not known beforehand may be in the name.
@ss = -[anlptuexmioswrgHVvM460ZbSTOWcC] -[fN]=text --all --listening --tcp --udp --processes --numeric --summary --extended --route --interfaces --statistics --programs --unix --no-header --ipv4 --ipv6 --info --memory
ss : text* | @ss
netstat : text* inert | @ss -I=text --inet --inet6
# Of their objects the whole name alone. A batch is a file of commands, and -n another network namespace.
bridge : | -s -stats -statistics -d -details -o -oneline -t -timestamp -j -json -p -pretty -c -color -compressvlans -V
  link fdb mdb vlan vni :
    show list lst : text*
    get : text*
    # Of a VLAN alone.
    tunnelshow global/show : text*
tc : | -s -stats -statistics -d -details -r -raw -p -pretty -i -iec -g -graph -j -json -o -oneline -c -color -V
  qdisc class filter chain :
    show list ls lst : text*
  actions action :
    show list ls lst get : text*
ethtool : text !system@2 | -[acgiklnuPSTxmV] --json --show-pause --show-coalesce --show-ring --driver --show-features --show-offload --show-channels --show-nfc --show-ntuple --show-permaddr --statistics --show-time-stamping --show-rxfh --show-rxfh-indir --module-info --dump-module-eeprom
  | --show-priv-flags --show-eee --show-fec --phy-statistics --show-module --show-tunnels --include-statistics -I
iw : !unknown
  list reg/get commands features event :
  # Behind the name of a device: to scan is no reading, but what the last scan found.
  dev :
    * : !unknown
      info link station/dump survey/dump mpath/dump get/power_save get/txq :
      station/get : text
      scan : !unknown
        dump :
  phy :
    * : !unknown
      info :
rfkill : text* !system@1 | -[nJr] -o,--output=text --noheadings --json --raw --output-all
  list : text*
# What -f names is written, and what -M names is run.
iptables-save ip6tables-save iptables-legacy-save ip6tables-legacy-save iptables-nft-save ip6tables-nft-save : | -c,--counters -t,--table=text -V
ipset : !unknown
  list : text | -n -name -t -terse -s -sorted -o=(plain|save|xml|json) -output=(plain|save|xml|json)
  test : text text
  version :
conntrack : text !system@0 | -L~ --dump~ -S~ --stats~ -C~ --count~ -p,--proto=text -s,--src=text -d,--dst=text --sport=text --dport=text --state=text -f,--family=text -o,--output=text
# Behind the name of an interface stands what is shown of it, which may be its key.
wg :
  show show/interfaces :
  show/* :
    # Neither of these is a key that is kept; private-key, preshared-keys and dump are.
    public-key listen-port fwmark peers endpoints allowed-ips latest-handshakes transfer persistent-keepalive :
ifconfig : text !system@2 | -a -s -v -l
route : text* !system@1 || -[nveaE46]
  # As macOS has it.
  get : text*
arp iwconfig brctl : text* !system@1 | -[nveaE46]
# Certificates and keys may stand behind an address, and org.openssl.engine:FILE:NAME loads a library.
openssl : !unknown
  version : | -[avbofpdcrms]
  list : | -[1] -commands -standard-commands -digest-commands -cipher-commands -digest-algorithms -cipher-algorithms -public-key-algorithms -public-key-methods -mac-algorithms -kdf-algorithms -random-instances -random-generators -encoders -decoders -key-managers
    | -key-exchange-algorithms -kem-algorithms -signature-algorithms -asymcipher-algorithms -store-loaders -engines -objects -all-algorithms -disabled -providers -verbose -options=text -select=text -propquery=text
  info : | -configdir -enginesdir -modulesdir -dsosuffix -dirnamesep -listsep -seeds -cpusettings
  base64 : | -[deaA] -in=read -out=write-stream
  # Without a cipher it only encodes.
  enc : !unknown@0 | -a~ -base64~ -list~ -ciphers~ -[deA] -in=read -out=write-stream
  pkcs7 : | -in=read -inform=text -outform=text -print_certs -print -text -noout -quiet -out=write-stream
  crl2pkcs7 : | -in=read -inform=text -outform=text -nocrl -certfile=read -out=write-stream
  ocsp : | -respin=read -reqin=read -text -resp_text -req_text -noverify -out=write-stream
  ts : | -query -reply -in=read -text -token_in -out=write-stream
  cms : | -cmsout -print -in=read -inform=text -noout
  dhparam : | -in=read -inform=text -outform=text -text -noout -check -out=write-stream
  dsaparam : | -in=read -inform=text -outform=text -text -noout -out=write-stream
  pkeyparam : | -in=read -text -noout -check -out=write-stream
  ecparam : | -list_curves -name=text -in=plain-file -inform=text -outform=text -text -noout -check -check_named -param_enc=text -conv_form=text -no_seed -out=write-stream
  # A private key, unless it is said to be a public one.
  pkey rsa ec dsa : !secrets@0 | -pubin~ -RSAPublicKey_in~ -in=plain-file -inform=text -outform=text -text -text_pub -noout -modulus -check -pubcheck -pubout -conv_form=text -param_enc=text -param_out -out=write-stream
  spkac : | -in=read -noout -pubkey -verify -out=write-stream
  nseq : | -in=read -toseq -out=write-stream
  speed : text* | -evp=text -hmac=text -cmac=text -seconds=text -bytes=text -multi=text -elapsed -mr -decrypt -aead -mb -primes=text -misalign=text
  ciphers : text | -[vVs] -ciphersuites=text -tls1 -tls1_1 -tls1_2 -tls1_3 -psk -srp -stdname -convert=text
  x509 : | -in=plain-file -noout -text -subject -issuer -dates -startdate -enddate -serial -fingerprint -sha256 -sha1 -md5 -purpose -email -modulus -pubkey -hash -subject_hash -issuer_hash -checkend=text -checkhost=text -checkemail=text
    | -checkip=text -nameopt=text -certopt=text -inform=text -outform=text -ext=text -alias -ocsp_uri -ocspid -nocert -multi -dateopt=text -subject_hash_old -issuer_hash_old -out=write-stream
  req : | -in=read -noout -text -reqopt=text -outform=text -subject -verify -pubkey -modulus -inform=text -nameopt=text -out=write-stream
  crl : | -in=plain-file -noout -text -issuer -lastupdate -nextupdate -hash -fingerprint -inform=text -crlnumber -verify -CAfile=read -out=write-stream
  verify : plain-file* | -CAfile=read -CApath=read -untrusted=plain-file -crl_check -purpose=text -verbose -show_chain -partial_chain -no-CAfile -no-CApath -x509_strict -trusted=plain-file -crl_check_all -CRLfile=plain-file -policy_check -explicit_policy -no_check_time -attime=text -verify_hostname=text -verify_email=text -verify_ip=text -verify_depth=text -verify_name=text -nameopt=text -ignore_critical -issuer_checks -check_ss_sig -auth_level=text
  dgst md4 md5 rmd160 sha1 sha224 sha256 sha384 sha512 sha512-224 sha512-256 sha3-224 sha3-256 sha3-384 sha3-512 shake128 shake256 blake2b512 blake2s256 sm3 : read* | -md5-sha1 -sha224 -sha512-224 -sha512-256 -sha3-224 -sha3-256 -sha3-384 -sha3-512 -blake2b512 -blake2s256 -ripemd160 -rmd160 -list -verify=plain-file -signature=read -keyform=text -xoflen=text -sha256 -sha1 -md5 -sha512 -sha384 -hex -r -c -binary -out=write-stream -hmac=secret
  rand : text | -hex -base64 -out=write-stream
  asn1parse : | -in=read -inform=text -i -dump -strparse=text -offset=text -length=text -noout
  s_client : !connects with:fed | -connect=host -servername=text -showcerts -brief -quiet -tls1_2 -tls1_3 -alpn=text -starttls=text -status -verify=text -CAfile=read -CApath=read -no_tls1 -no_tls1_1 -no_tls1_2 -no_tls1_3
  prime : text | -hex -checks=text -generate -bits=text
  errstr help : text*
`;
