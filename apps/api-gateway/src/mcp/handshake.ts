import { VERSION } from '@witan/service-kit/release';
import { LEGACY_VERSIONS, MODERN_VERSION, TASKS_EXTENSION } from './envelope.ts';
import type { McpMethods } from './mcp-method.ts';

export const SERVER_INFO = { name: 'witan', title: 'Witan', version: VERSION } as const;

const INSTRUCTIONS =
  'Witan is a council of AI advisers whose every answer has a signed certificate. ask_council ' +
  'has all advisers debate a question; ask_agent asks one. _meta["dev.witan/proof"] of a result ' +
  'names its certificates; resources witan://proofs/{id} are the certificates, ' +
  'verify_proof checks one.';

const CAPABILITIES = { tools: {}, resources: {}, prompts: {} } as const;

const DISCOVER_TTL_MS = 300_000;

/** Method of the modern revision by which a client learns what this server can do. */
export const DISCOVER_METHODS: McpMethods = {
  'server/discover': async () => ({
    supportedVersions: [MODERN_VERSION],
    capabilities: { ...CAPABILITIES, extensions: { [TASKS_EXTENSION]: {} } },
    instructions: INSTRUCTIONS,
    ttlMs: DISCOVER_TTL_MS,
    cacheScope: 'public',
  }),
};

/** The handshake of earlier revisions, after which nothing is stored, and their `ping`. */
export const LEGACY_METHODS: McpMethods = {
  initialize: async ({ params: { protocolVersion } }) => ({
    protocolVersion: LEGACY_VERSIONS.find((one) => one === protocolVersion) ?? LEGACY_VERSIONS[0],
    capabilities: CAPABILITIES,
    serverInfo: SERVER_INFO,
    instructions: INSTRUCTIONS,
  }),
  ping: async () => ({}),
};
