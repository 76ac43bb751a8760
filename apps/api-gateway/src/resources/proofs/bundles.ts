import type { CertificateService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { STREAM } from '../../http/route.ts';
import type { Route } from '../../http/route.ts';
import { closedObject } from '../../http/schema.ts';
import { writeChunk } from '../../http/write-chunk.ts';
import { TILE_PATH_DESCRIPTION } from '../log/log-schema.ts';
import {
  NOTE_RESPONSE,
  NOTE_TYPE,
  readTilePath,
  sendBytes,
  TILE_RESPONSE,
  TILE_TYPE,
} from '../log/send-bytes.ts';
import { nativeRoutes } from '../native-routes.ts';
import { PROOF_ID } from '../resource-id.ts';
import { PROOF_SCOPES } from './export-proofs.ts';
import { BUNDLE } from './proof-schema.ts';

type Certificates = Client<typeof CertificateService>;

const { handled } = nativeRoutes('Transparency log', 'gateway');

const WAIT_MAX_S = 20;
/** Seconds after which a client asks again for a bundle that does not exist yet. */
const RETRY_AFTER_S = 5;
const TREE_PREFIX = '/v1/proofs/tree/';
const EPOCHS_MAX = 100;
const EPOCHS_TYPE = 'application/x-ndjson';

/** Returns the routes with which a workspace reads its own part of the transparency log. */
export const bundleRoutes = (certificates: Certificates): Route[] => [
  treeCheckpointRoute(certificates),
  treeTileRoute(certificates),
  epochsRoute(certificates),
  bundleRoute(certificates),
];

const bundleRoute = (certificates: Certificates): Route =>
  handled('get', '/v1/proofs/{id}/bundle', {
    id: 'getBundle',
    summary: 'Fetch a certificate with the proof that it is in the transparency log',
    description:
      'A bundle exists some seconds after its certificate, and changes only with the policy of ' +
      'the log. `witan verify` checks it offline',
    scopes: PROOF_SCOPES,
    ids: { id: PROOF_ID },
    headers: {
      Prefer: { type: 'string', description: '`wait=20`: wait up to 20 seconds for the bundle' },
    },
    responses: {
      200: { description: 'The bundle', schema: BUNDLE },
      202: {
        description: 'The certificate is not in a published epoch yet',
        schema: closedObject({ status: { const: 'pending' } }),
        headers: { 'retry-after': 'Seconds after which to ask again' },
      },
    },
    handle: async ({ call, ids, options }) => {
      const waitMs = readWaitSeconds(call.request.get('prefer')) * 1_000;
      const { bundle } = await certificates.getBundle(
        { proofId: ids.id, waitMs },
        { ...options, timeoutMs: (options.timeoutMs ?? 0) + waitMs },
      );
      if (bundle !== '') return { status: 200, text: bundle };
      const headers = { 'retry-after': String(RETRY_AFTER_S) };
      return { status: 202, json: { status: 'pending' }, headers };
    },
  });

/** Reads the preference `wait` (RFC 7240); another or an invalid one is ignored, as it demands. */
export const readWaitSeconds = (prefer: string | undefined): number => {
  const seconds = /(?:^|,)\s*wait\s*=\s*(\d{1,9})\s*(?:[,;]|$)/i.exec(prefer ?? '')?.[1];
  return Math.min(Number(seconds ?? 0), WAIT_MAX_S);
};

const treeCheckpointRoute = (certificates: Certificates): Route =>
  handled('get', '/v1/proofs/tree/checkpoint', {
    id: 'getTreeCheckpoint',
    summary: "The newest published head of the workspace's own tree, signed",
    scopes: PROOF_SCOPES,
    responses: { 200: NOTE_RESPONSE },
    errors: { 404: 'The workspace has no certificate in the log, or there is no log' },
    handle: async ({ options }) => {
      const { note } = await certificates.getTreeCheckpoint({}, options);
      return { status: 200, text: note, headers: { 'content-type': NOTE_TYPE } };
    },
  });

const treeTileRoute = (certificates: Certificates): Route => ({
  ...handled('get', '/v1/proofs/tree/tile/{tile}', {
    id: 'getTreeTile',
    summary: "A tile of the workspace's own tree",
    description: TILE_PATH_DESCRIPTION,
    scopes: PROOF_SCOPES,
    responses: { 200: TILE_RESPONSE },
    errors: { 404: 'The tree does not have this tile, or there is no log' },
    handle: async ({ call, options }) => {
      const path = readTilePath(call.request.path, TREE_PREFIX);
      const { tile } = await certificates.readTreeTile({ path }, options);
      return sendBytes(call.response, tile, { 'content-type': TILE_TYPE });
    },
  }),
  hasRest: true,
});

const epochsRoute = (certificates: Certificates): Route =>
  handled('get', '/v1/proofs/epochs', {
    id: 'listEpochs',
    summary: "The head of the workspace's tree in each epoch of the log",
    description:
      'For followers, who check that the workspace has one history. A line is ' +
      '`{"epoch", "keys", "entry", "treeHead", "salt", "path"}`; an epoch without `treeHead` ' +
      'does not have the workspace. The list may end before `limit`: go on after its last epoch',
    scopes: PROOF_SCOPES,
    query: {
      from: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      limit: { type: 'integer', minimum: 1, maximum: EPOCHS_MAX },
    },
    responses: {
      200: {
        description: 'One JSON text a line; none after the last published epoch',
        contentType: EPOCHS_TYPE,
        schema: STREAM,
      },
    },
    errors: { 400: 'from or limit is not valid', 404: 'There is no log' },
    handle: async ({ call, query, options }) => {
      const { from = 0, limit = EPOCHS_MAX } = query as { from?: number; limit?: number };
      const { epochs } = await certificates.listEpochs({ from: BigInt(from), limit }, options);
      call.response.setHeader('content-type', EPOCHS_TYPE);
      for (const { n, entry, keys, treeHead, salt, path } of epochs) {
        const head = { treeHead, salt: toBase64(salt), path: toBase64(path) };
        const rest = JSON.stringify({ entry, ...(treeHead === '' ? {} : head) }).slice(1);
        const line = `{"epoch":${n},"keys":${keys},${rest}\n`;
        await writeChunk(call.response, line, call.signal);
      }
      call.response.end();
      return undefined;
    },
  });

const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
