import type { Certificate } from '@witan/contracts';
import type { CertificateService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import type { RequiredScope } from '../../auth/scope.ts';
import { encodeAs } from '../../http/encode.ts';
import type { Route } from '../../http/route.ts';
import { writeChunk } from '../../http/write-chunk.ts';
import { CERTIFICATE, CHAIN_HEADER } from './proof-schema.ts';
import { nativeRoutes } from '../native-routes.ts';
import { closedObject } from '../../http/schema.ts';

/**
 * Maximum duration of the export of a chain. If WITAN_DRAIN_MS is not shorter, a shutdown does not
 * interrupt an export.
 */
const EXPORT_TIMEOUT_MS = 825_000;

type Writer = {
  contentType: string;
  open: (header: string) => string;
  page: (certificates: string[], isFirst: boolean) => string;
  close: string;
};

const NDJSON: Writer = {
  contentType: 'application/x-ndjson',
  open: (header) => `{"chain":${header}}\n`,
  page: (certificates) => certificates.map((text) => `${text}\n`).join(''),
  close: '',
};

const JSON_DOCUMENT: Writer = {
  contentType: 'application/json',
  open: (header) => `{"chain":${header},"proofs":[`,
  page: (certificates, isFirst) => `${isFirst ? '' : ','}${certificates.join(',')}`,
  close: ']}',
};

/**
 * API-key scopes that allow reading certificates: the gateway's, whose calls they certify, and
 * those of the ledger, which stores them.
 */
export const PROOF_SCOPES: readonly RequiredScope[] = [
  'gateway',
  'gateway:read',
  'ledger',
  'ledger:read',
];

const { handled } = nativeRoutes('Proofs', 'gateway');

export const exportProofsRoute = (certificates: Client<typeof CertificateService>): Route =>
  handled('get', '/v1/proofs/export', {
    id: 'exportProofs',
    summary: 'Export the chain: a header, then every certificate in order',
    scopes: PROOF_SCOPES,
    wantsStream: () => true,
    query: { format: { enum: ['ndjson', 'json'] } },
    responses: {
      200: {
        description: 'The chain; by default one JSON text a line, the header first',
        streamedAs: NDJSON.contentType,
        schema: closedObject({
          chain: CHAIN_HEADER,
          proofs: { type: 'array', items: CERTIFICATE },
        }),
      },
    },
    errors: { 400: 'The format is not known' },
    handle: async ({ call, query, options: callOptions }) => {
      const { response, signal } = call;
      const writer = query.format === 'json' ? JSON_DOCUMENT : NDJSON;
      const options = { ...callOptions, timeoutMs: EXPORT_TIMEOUT_MS };
      let isFirst = true;
      for await (const { event } of certificates.exportChain({}, options)) {
        if (event.case === 'header') {
          response.setHeader('content-type', writer.contentType);
          const header = JSON.stringify(encodeAs(CHAIN_HEADER, event.value));
          await writeChunk(response, writer.open(header), signal);
        } else if (event.case === 'page') {
          const texts = event.value.certificates.map(encodeCertificate);
          await writeChunk(response, writer.page(texts, isFirst), signal);
          isFirst = false;
        }
      }
      response.end(writer.close);
      return undefined;
    },
  });

/**
 * Returns a certificate as JSON text. The payload is inserted unchanged, because its text is what
 * was signed.
 */
export const encodeCertificate = ({
  payload,
  payloadHash,
  signature,
  algorithm,
}: Certificate): string =>
  `{"payload":${payload},"payload_hash":"${payloadHash}",` +
  `"signature":"${signature}","algorithm":"${algorithm}"}`;
