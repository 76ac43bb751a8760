import { timestampDate } from '@bufbuild/protobuf/wkt';
import { notFound } from '@witan/contracts';
import type { LogService } from '@witan/contracts/services';
import { parsePolicy } from '@witan/proof';
import type { Client } from '@witan/service-kit';
import { CALL_TIMEOUT_MS } from '../../http/route.ts';
import type { Route, RouteCall } from '../../http/route.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { LOG, TILE_PATH_DESCRIPTION } from './log-schema.ts';
import {
  NOTE_RESPONSE,
  NOTE_TYPE,
  PUBLIC_TILE_CACHING,
  readTilePath,
  sendBytes,
  TILE_RESPONSE,
  TILE_TYPE,
} from './send-bytes.ts';

type Log = Client<typeof LogService>;

const PREFIX = '/v1/log/';
/** Browsers of any site may read the log, which is public and needs no credentials. */
const CORS = { 'access-control-allow-origin': '*' };
const CHECKPOINT_CACHING = 'public, max-age=1';

const optionsOf = ({ requestId, signal }: RouteCall) => ({
  requestId,
  signal,
  timeoutMs: CALL_TIMEOUT_MS,
});

const NOT_FOUND = { 404: DOCUMENTED_ERROR.native('There is no log, or it does not have this') };

const publicRoute = {
  method: 'get',
  surface: 'native',
  tag: 'Transparency log',
  scopes: undefined,
} as const;

/** Returns the routes of the public log, which need no API key: c2sp.org/tlog-tiles. */
export const logRoutes = (log: Log): Route[] => [
  {
    ...publicRoute,
    id: 'getLog',
    path: '/v1/log',
    summary: 'The transparency log: its name, keys and policy',
    responses: { 200: { description: 'The log', schema: LOG }, ...NOT_FOUND },
    handle: async (call) => {
      const found = await log.getCheckpoint({}, optionsOf(call));
      const { origin, vkeys, intervalMs, policy, size, publishedAt } = found;
      const witnessed = parsePolicy(policy).quorum.kind !== 'none';
      const json = {
        ...{ origin, vkeys, intervalMs, policy, witnessed, size: Number(size) },
        publishedAt: publishedAt ? timestampDate(publishedAt) : null,
      };
      return { status: 200, json, headers: { ...CORS, 'cache-control': CHECKPOINT_CACHING } };
    },
  },
  {
    ...publicRoute,
    id: 'getCheckpoint',
    path: '/v1/log/checkpoint',
    summary: 'The newest checkpoint of the log, signed and cosigned',
    responses: { 200: NOTE_RESPONSE, ...NOT_FOUND },
    handle: async (call) => {
      const { note } = await log.getCheckpoint({}, optionsOf(call));
      if (note === '') throw notFound('The log has no epoch yet.');
      const caching = { 'content-type': NOTE_TYPE, 'cache-control': CHECKPOINT_CACHING };
      return { status: 200, text: note, headers: { ...CORS, ...caching } };
    },
  },
  {
    ...publicRoute,
    id: 'getTile',
    path: '/v1/log/tile/{tile}',
    hasRest: true,
    summary: 'A tile of the log',
    description: TILE_PATH_DESCRIPTION,
    responses: { 200: TILE_RESPONSE, ...NOT_FOUND },
    handle: async (call) => {
      const path = readTilePath(call.request.path, PREFIX);
      const { tile } = await log.readTile({ path }, optionsOf(call));
      const caching = { 'content-type': TILE_TYPE, 'cache-control': PUBLIC_TILE_CACHING };
      return sendBytes(call.response, tile, { ...CORS, ...caching });
    },
  },
];
