import type { Request } from 'express';
import { isObject, RPC_CODES, RpcError } from './json-rpc.ts';
import type { RpcMessage, RpcParams } from './json-rpc.ts';

/** The revision that this server speaks; each request carries its version and capabilities. */
export const MODERN_VERSION = '2026-07-28';
/** Revisions with a handshake that this server answers without a session, newest first. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';

export type ClientCapabilities = Readonly<Record<string, unknown>>;

/**
 * What a request says about its client. `modern` requests declare their revision and capabilities;
 * `legacy` ones belong to a revision with a handshake, of which nothing is stored.
 */
export type Envelope = {
  era: 'modern' | 'legacy';
  capabilities: ClientCapabilities;
  /** Set if the client wants progress notifications. */
  progressToken: string | number | undefined;
};

/**
 * Reads the metadata of a message and compares it with the headers that mirror it. Throws RpcError
 * with status 400: `headerMismatch`, `unsupportedVersion`, or `invalidParams` if a modern request
 * lacks its metadata.
 */
export const readEnvelope = (
  { method, params }: Pick<RpcMessage, 'method' | 'params'>,
  request: Pick<Request, 'get'>,
): Envelope => {
  const meta = isObject(params._meta) ? params._meta : {};
  const header = request.get('mcp-protocol-version');
  const { progressToken } = meta as { progressToken?: string | number };
  const isModern = VERSION_KEY in meta || CAPABILITIES_KEY in meta || header === MODERN_VERSION;
  if (!isModern) {
    checkLegacyHeader(header, method);
    return { era: 'legacy', capabilities: {}, progressToken };
  }
  const version = meta[VERSION_KEY];
  const capabilities = meta[CAPABILITIES_KEY];
  if (typeof version !== 'string' || !isObject(capabilities)) {
    const message = `_meta must have ${VERSION_KEY} and ${CAPABILITIES_KEY}.`;
    throw new RpcError(RPC_CODES.invalidParams, message, { status: 400 });
  }
  checkHeader('MCP-Protocol-Version', header, version);
  if (version !== MODERN_VERSION) throw unsupportedVersion(version);
  checkHeader('Mcp-Method', request.get('mcp-method'), method);
  const name = NAME_OF.get(method)?.(params);
  if (name !== undefined) checkName(request.get('mcp-name'), name);
  return { era: 'modern', capabilities, progressToken };
};

/** Parameter that the header `Mcp-Name` mirrors, by method. */
const NAME_OF: ReadonlyMap<string, (params: RpcParams) => unknown> = new Map([
  ['tools/call', ({ name }: RpcParams) => name],
  ['prompts/get', ({ name }) => name],
  ['resources/read', ({ uri }) => uri],
  ['tasks/get', ({ taskId }) => taskId],
  ['tasks/update', ({ taskId }) => taskId],
  ['tasks/cancel', ({ taskId }) => taskId],
]);

const checkLegacyHeader = (header: string | undefined, method: string): void => {
  // `initialize` negotiates the version, so that its header is not checked.
  if (header === undefined || method === 'initialize') return;
  if (!(LEGACY_VERSIONS as readonly string[]).includes(header)) throw unsupportedVersion(header);
};

const unsupportedVersion = (requested: string): RpcError =>
  new RpcError(RPC_CODES.unsupportedVersion, 'Unsupported protocol version', {
    status: 400,
    data: { supported: [MODERN_VERSION], requested },
  });

const checkHeader = (name: string, header: string | undefined, value: unknown): void => {
  if (header === value) return;
  const found = header === undefined ? 'is missing' : `is ${JSON.stringify(header)}`;
  const message = `Header mismatch: ${name} ${found}, the body says ${JSON.stringify(value)}.`;
  throw new RpcError(RPC_CODES.headerMismatch, message, { status: 400 });
};

const ENCODED = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/;

const checkName = (header: string | undefined, value: unknown): void => {
  const encoded = ENCODED.exec(header ?? '')?.[1];
  const decoded = encoded === undefined ? header : Buffer.from(encoded, 'base64').toString('utf8');
  checkHeader('Mcp-Name', decoded, value);
};

export const supportsTasks = ({ capabilities: { extensions } }: Envelope): boolean =>
  isObject(extensions) && isObject(extensions[TASKS_EXTENSION]);

/** Returns whether the client can show a form; an empty `elicitation` means a form. */
export const supportsForms = ({ capabilities: { elicitation } }: Envelope): boolean =>
  isObject(elicitation) && (Object.keys(elicitation).length === 0 || 'form' in elicitation);

export const missingCapability = (requiredCapabilities: object): RpcError =>
  new RpcError(RPC_CODES.missingCapability, 'The client lacks a required capability.', {
    status: 400,
    data: { requiredCapabilities },
  });
