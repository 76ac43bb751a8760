export const USAGE = `Usage: witan COMMAND [options]

  doctor [--json]           check an installation, and say what to do about what is wrong
  up [--processes]          bring the whole system up, as npm start does
  serve SERVICE|all         run one service, or all in one process, from the environment
  migrate SERVICE|all [--wait SECONDS]
                            bring one schema, or all, up to this release (a job before its start)
  provision [--wait SECONDS]
                            make the services' roles and schemas, as an admin of the database
  secrets create FOLDER     make every key and password of an installation, each once
  verify FILE ...           check a certificate or bundle offline (witan verify --help)
  verify-chain FILE|URL ... check an exported chain offline (witan verify-chain --help)
  log status|monitor|mirror|follow|keygen|adopt ...
                            watch a transparency log, make its key, or adopt lost epochs
                            (witan log --help)
  workspace create NAME     make a workspace with an owner and a key
  keys create [--name NAME] [--scopes A,B] [--expires TIMESTAMP] [--workspace ID]
  keys list [--workspace ID]      every key, without its secret
  keys rotate ID [--immediately]  a key like it; the old one ends in 24 hours, or at once
  keys revoke ID            in force everywhere within 5 seconds
  balance                   the tokens of the workspace's account
  console link              a link that signs in to the console once, within 10 minutes
  republish --since TIMESTAMP     events since then are sent again, with the same ids
  topology apply [--replicas N]   make or update the broker's streams and consumers
  --version                 the version of this release

--json prints JSON. Exit codes: 0 done, 1 a check or the work failed, 2 wrong usage.
doctor checks what the environment of a service configures, or the system in WITAN_HOME, or the API
at WITAN_BASE_URL with WITAN_API_KEY. workspace and keys work on the system that runs in WITAN_HOME
(.witan), or on the api-gateway's DATABASE_URL; balance and console ask that system, or
WITAN_BASE_URL with WITAN_API_KEY. republish works on every outbox of that system, or on that of
DATABASE_URL; topology on its broker, or on NATS_URL.
migrate SERVICE works on DATABASE_URL; provision, migrate all and serve all have one URL a service,
LEDGER_DATABASE_URL and so on, and provision an admin's DATABASE_URL beside (docs/images.md). Both
wait up to --wait seconds (150) until PostgreSQL, its database and the roles are there.`;

export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}
