import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

export type ReceivedSpan = {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  /** Id of the parent span; empty for a root span. */
  parentId: string;
};

/** An OpenTelemetry collector: an HTTP server that receives and records spans (OTLP). */
export type Collector = AsyncDisposable & {
  url: string;
  spans: readonly ReceivedSpan[];
  contentTypes: ReadonlySet<string>;
};

export const openCollector = async (): Promise<Collector> => {
  const spans: ReceivedSpan[] = [];
  const contentTypes = new Set<string>();
  const receiveSpans = async (request: IncomingMessage): Promise<number> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method !== 'POST' || request.url !== '/v1/traces') return 404;
    contentTypes.add(String(request.headers['content-type']));
    spans.push(...decodeRequest(Buffer.concat(chunks)));
    return 200;
  };
  const server = createServer((request, response) => {
    void receiveSpans(request).then((status) => response.writeHead(status).end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    contentTypes,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

/** Returns the length-delimited fields of a protobuf message by field number. */
const readFields = (bytes: Uint8Array): Map<number, Uint8Array[]> => {
  const fields = new Map<number, Uint8Array[]>();
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (type === WireType.LengthDelimited) {
      fields.set(field, [...(fields.get(field) ?? []), reader.bytes()]);
    } else reader.skip(type, field);
  }
  return fields;
};

/**
 * Returns the spans of an OTLP export request. Field numbers are those of opentelemetry-proto:
 * trace/v1, resource/v1, common/v1.
 */
const decodeRequest = (bytes: Uint8Array): ReceivedSpan[] =>
  (readFields(bytes).get(1) ?? []).flatMap((resourceSpans) => {
    const { 1: resource, 2: scopes } = Object.fromEntries(readFields(resourceSpans));
    const service = readService(resource?.[0] ?? new Uint8Array());
    return (scopes ?? [])
      .flatMap((scope) => readFields(scope).get(2) ?? [])
      .map((span) => decodeSpan(span, service));
  });

const readService = (resource: Uint8Array): string => {
  const attributes = (readFields(resource).get(1) ?? []).map((pair) => {
    const [key, value] = [1, 2].map((field) => readFields(pair).get(field)?.[0]);
    const text = value && readFields(value).get(1)?.[0];
    return [toText(key), toText(text)] as const;
  });
  return new Map(attributes).get('service.name') ?? '';
};

const decodeSpan = (bytes: Uint8Array, service: string): ReceivedSpan => {
  const fields = readFields(bytes);
  const readHex = (field: number): string =>
    Buffer.from(fields.get(field)?.[0] ?? []).toString('hex');
  const name = toText(fields.get(5)?.[0]);
  return { service, name, traceId: readHex(1), spanId: readHex(2), parentId: readHex(4) };
};

const toText = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();
