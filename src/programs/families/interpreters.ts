/** Interpreters: whatever they are given is code. Only the question for a version is not. */
export const interpreters = `
python python2 python3 python3.8 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14 pypy pypy3 : code-file text* first with:interpreter
  | -c=code -m=code -V~ -VV~ --version~ --help~ -h~ -[bBdEiIOPqsSuvxR] -[WX]=text -?~
ipython bpython jupyter : text* !runs-code
node nodejs : code-file text* first with:interpreter
  | -e,--eval=code -p,--print=code -pe=code -r,--require=code --import=code --loader=code --experimental-loader=code -c,--check>read -i,--interactive!runs-code -v,--version~ -h,--help~ --test!runs-code --watch!runs-code --run=code --env-file=code-file
  | --enable-source-maps --no-warnings --trace-warnings --max-old-space-size=text --experimental-strip-types --inspect=text?!runs-code
  # With a check it starts the debugger all the same.
  inspect debug : text* !runs-code
bun : code-file* !runs-code@0 | -v~ -V~
  install i add update create : text* !runs-code fetches:npm
deno tsx ts-node esbuild swc babel : code-file* !runs-code@0 | -v~ -V~
perl : code-file text* first with:interpreter | -v~ -V~ -[eEnpilaFM0]=text?!runs-code -[wWcdsStTuUX] 
# A check loads what the first line of the file asks for (-r after the name of ruby), and starts an interpreter of another name that stands there.
ruby : code-file text* first with:interpreter | -v~ --version~ -[e]=code -[rIC]=text!runs-code -x=text?!runs-code -c!runs-code>read -[alnpswW]
# It starts the bin/rails of the working directory, whatever it is asked.
rails : text* !runs-code | -v --version -h --help
irb pry rake : text* !runs-code
# The .rspec of the working directory is a template of Ruby, and is evaluated before a word is read.
rspec : text* !runs-code | -v,--version -h,--help
php : code-file text* first with:interpreter | -v,--version~ -m,--modules~ -i,--info!secrets -r=code -f=code-file^ -[aBRSEFdcz]=text!runs-code -l>read --ini~
rename prename file-rename : code read* !writes | -[vnf] -e=code
lua luajit lua5.1 lua5.3 lua5.4 : code-file text* first with:interpreter | -v~ -e=code -l=code -[iEW]!runs-code
julia octave elixir iex mix groovy racket guile ocaml : code-file* !runs-code@0 | -v~
ghc cabal gnuplot : code-file* !runs-code@0 | -V~
# Their -v is no question for a version: ghci goes on to .ghci in the working directory, clojure to user.clj.
Rscript R ghci runghc stack scala kotlin kotlinc clojure clj sbcl swift dart flutter osascript tclsh wish jshell jrunscript : code-file* !runs-code@0
# They evaluate project.clj, or .erlang, before they read a word.
lein erl escript : text* !runs-code | -[vVh] --version --help
java : code-file* !runs-code@0 | -version~ --version~
javac javadoc : code-file* !runs-code@0 | -version~ --version~
`;
