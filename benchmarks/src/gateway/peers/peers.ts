import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export type PeerName = 'Portkey' | 'LiteLLM' | 'TensorZero';

export type PeerStart = {
  /** Folder with the installed packages of all peers. */
  folder: string;
  port: number;
  /** File with the text of `toConfig`. */
  configFile: string;
};

/** Another gateway, and how it is started on loopback with the fake provider behind it. */
export type Peer = {
  name: PeerName;
  /** Path below the folder of the peers; the peer is measured if it exists. */
  file: string;
  readVersion: (folder: string) => string;
  toConfig: (providerUrl: string) => string;
  toCommand: (start: PeerStart) => {
    command: string;
    args: readonly string[];
    env?: Readonly<Record<string, string>>;
  };
  toHeaders: (providerUrl: string) => Readonly<Record<string, string>>;
  /** Text before the model's name in requests. */
  modelPrefix: string;
};

const MODEL = 'gpt-bench';
const LITELLM_KEY = 'sk-bench-0123456789abcdef0123456789abcdef';

/** Portkey has no option for the address at which it listens. */
const LISTEN_ON_LOOPBACK = fileURLToPath(new URL('listen-on-loopback.ts', import.meta.url));

/**
 * The Python package of TensorZero has the gateway as a library. It selects a free port itself, so
 * its URL is read from the output.
 */
const TENSORZERO_HOST = `
import sys, threading
from tensorzero import _start_http_gateway
none = dict(clickhouse_url=None, postgres_url=None, valkey_url=None)
gateway = _start_http_gateway(config_file=sys.argv[1], async_setup=False, **none)
print("listening", gateway.base_url, flush=True)
threading.Event().wait()
`;

const PORTKEY = 'portkey/node_modules/@portkey-ai/gateway';
const PORTKEY_FILE = `${PORTKEY}/build/start-server.js`;

const readNpmVersion = (packageFolder: string): string => {
  const { version } = JSON.parse(readFileSync(`${packageFolder}/package.json`, 'utf8')) as {
    version: string;
  };
  return version;
};

/** Reads the version of a Python package from the name of the folder with its metadata. */
const readPythonVersion = (environment: string, name: string): string => {
  const [found] = globSync(`${environment}/lib/python*/site-packages/${name}-*.dist-info`);
  return /-([^-]+)\.dist-info$/.exec(found ?? '')?.[1] ?? 'unknown';
};

export const PEERS: readonly Peer[] = [
  {
    name: 'Portkey',
    file: PORTKEY_FILE,
    readVersion: (folder) => readNpmVersion(`${folder}/${PORTKEY}`),
    toConfig: () => '',
    toCommand: ({ folder, port }) => ({
      command: process.execPath,
      args: [
        '--import',
        LISTEN_ON_LOOPBACK,
        `${folder}/${PORTKEY_FILE}`,
        `--port=${port}`,
        '--headless',
      ],
    }),
    toHeaders: (providerUrl) => ({
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `${providerUrl}/v1`,
      authorization: 'Bearer sk-bench',
    }),
    modelPrefix: '',
  },
  {
    name: 'LiteLLM',
    file: 'litellm/bin/litellm',
    readVersion: (folder) => readPythonVersion(`${folder}/litellm`, 'litellm'),
    toConfig: (providerUrl) =>
      JSON.stringify({
        model_list: [
          {
            model_name: MODEL,
            litellm_params: {
              model: `openai/${MODEL}`,
              api_base: `${providerUrl}/v1`,
              api_key: 'sk-bench',
            },
          },
        ],
      }),
    toCommand: ({ folder, port, configFile }) => ({
      command: `${folder}/litellm/bin/litellm`,
      args: [
        '--config',
        configFile,
        '--host',
        '127.0.0.1',
        '--port',
        `${port}`,
        '--num_workers',
        '1',
      ],
      env: {
        LITELLM_MASTER_KEY: LITELLM_KEY,
        // Without it the list of models is fetched from the internet at the start.
        LITELLM_LOCAL_MODEL_COST_MAP: 'True',
        LITELLM_LOG: 'ERROR',
      },
    }),
    toHeaders: () => ({ authorization: `Bearer ${LITELLM_KEY}` }),
    modelPrefix: '',
  },
  {
    name: 'TensorZero',
    file: 'tensorzero/bin/python',
    readVersion: (folder) => readPythonVersion(`${folder}/tensorzero`, 'tensorzero'),
    toConfig: (providerUrl) => `
[gateway]
observability.enabled = false
[models.${MODEL}]
routing = ["fake"]
[models.${MODEL}.providers.fake]
type = "openai"
model_name = "${MODEL}"
api_base = "${providerUrl}/v1"
api_key_location = "none"
`,
    toCommand: ({ folder, configFile }) => ({
      command: `${folder}/tensorzero/bin/python`,
      args: ['-c', TENSORZERO_HOST, configFile],
    }),
    toHeaders: () => ({}),
    modelPrefix: 'tensorzero::model_name::',
  },
];
