import type { AuditEvent, AuditFilter, ListAudit } from '../../audit/audit.ts';
import type { Route, RouteCall } from '../../http/route.ts';
import { closedObject, instant, nullableText, text } from '../../http/schema.ts';
import { EXACT_TEXT } from '../../http/text-pattern.ts';
import { writeChunk } from '../../http/write-chunk.ts';
import { toCsvLine } from '../csv.ts';
import { PAGE_QUERY, readPage, unknownCursor } from '../list-page.ts';
import { nativeRoutes } from '../native-routes.ts';
import { readTime } from '../read-time.ts';
import { AUDIT_ID } from '../resource-id.ts';

const EVENTS = closedObject(
  {
    events: {
      type: 'array',
      items: closedObject({
        id: text,
        action: { ...text, description: 'Such as `key.created`' },
        actor: { ...text, description: 'Id of the API key that did it, or name of a command' },
        target: { ...text, description: 'Id or name of what it was done to' },
        detail: nullableText,
        createdAt: instant,
      }),
    },
  },
  { nextCursor: { ...text, description: 'Present when there is more' } },
);

const VALUE_LENGTH_MAX = 200;
const value = { type: 'string', maxLength: VALUE_LENGTH_MAX, pattern: EXACT_TEXT } as const;
const time = { type: 'string', maxLength: 40 } as const;

const QUERY = {
  action: value,
  actor: value,
  target: value,
  from: { ...time, description: 'First time, RFC 3339' },
  to: { ...time, description: 'Last time, RFC 3339' },
  ...PAGE_QUERY,
  format: {
    enum: ['json', 'csv', 'ndjson'],
    description: 'csv and ndjson export all events unless there is a limit',
  },
} as const;

const { handled } = nativeRoutes('API keys', 'keys');

export const auditRoute = (listAudit: ListAudit): Route =>
  handled('get', '/v1/audit', {
    id: 'listAuditEvents',
    summary: 'Who did what to keys, sessions, providers, webhooks and tools, newest first',
    query: QUERY,
    responses: {
      200: { description: 'The events', schema: EVENTS, streamedAs: 'application/x-ndjson' },
    },
    errors: { 400: 'A filter, time, limit, cursor or format is not valid' },
    wantsStream: ({ query }) => ['csv', 'ndjson'].includes((query as AuditQuery).format ?? ''),
    handle: async ({ call }) => {
      const { format = 'json', limit: ownLimit } = call.query as AuditQuery;
      const { limit, cursor } = readPage(call, AUDIT_ID.is);
      const read = createRead(call, listAudit);
      if (format === 'json') {
        const found = await read(limit + 1, cursor);
        const events = found.slice(0, limit);
        const next = found.length > limit ? { nextCursor: events.at(-1)!.id } : {};
        return { status: 200, json: { events, ...next } };
      }
      await exportEvents(call, { read, cursor, writer: WRITERS[format], limit: ownLimit });
      return undefined;
    },
  });

type AuditQuery = { format?: 'json' | 'csv' | 'ndjson'; limit?: number } & {
  [K in 'action' | 'actor' | 'target' | 'from' | 'to']?: string;
};

type Read = (limit: number, cursor: string) => Promise<AuditEvent[]>;

const createRead = ({ query, principal }: RouteCall, listAudit: ListAudit): Read => {
  const { action, actor, target, from, to } = query as AuditQuery;
  const times = { fromMs: readTime('from', from), toMs: readTime('to', to) };
  const filter: AuditFilter = { action, actor, target, ...times };
  return async (limit, after) => {
    const page = { ...filter, limit, ...(after === '' ? {} : { after }) };
    const found = await listAudit(principal!.workspaceId, page);
    if (!found) throw unknownCursor();
    return found;
  };
};

type Writer = { contentType: string; head: string; line: (event: AuditEvent) => string };

const MEMBERS = ['id', 'action', 'actor', 'target', 'detail', 'createdAt'] as const;

const WRITERS: Readonly<Record<'csv' | 'ndjson', Writer>> = {
  csv: {
    contentType: 'text/csv; charset=utf-8',
    head: toCsvLine(MEMBERS),
    line: ({ createdAt, ...event }) =>
      toCsvLine([
        ...MEMBERS.slice(0, -1).map((name) => event[name as 'id']),
        createdAt.toISOString(),
      ]),
  },
  ndjson: {
    contentType: 'application/x-ndjson',
    head: '',
    line: (event) => `${JSON.stringify(event)}\n`,
  },
};

const PAGE_MAX = 500;

/** Writes events page by page, so that an export of any length needs little memory. */
const exportEvents = async (
  { response, signal }: RouteCall,
  {
    read,
    writer,
    ...from
  }: { read: Read; writer: Writer; cursor: string; limit: number | undefined },
): Promise<void> => {
  let { cursor, limit: left = Infinity } = from;
  let chunk = writer.head;
  for (;;) {
    const size = Math.min(PAGE_MAX, left);
    const page = await read(size, cursor);
    if (!response.headersSent) response.setHeader('content-type', writer.contentType);
    chunk += page.map(writer.line).join('');
    if (chunk !== '') await writeChunk(response, chunk, signal);
    chunk = '';
    left -= page.length;
    if (page.length < size || left === 0) break;
    cursor = page.at(-1)!.id;
  }
  response.end();
};
