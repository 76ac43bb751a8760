import type { ChainHeader, Certificate } from '@witan/contracts';
import type { CertificateService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { optionsOf } from '../../http/call-options.ts';
import type { Route } from '../../http/route.ts';
import { writeChunk } from '../../http/write-chunk.ts';
import { encodeCertificate, encodeKey } from './encode-certificate.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { CERTIFICATE, CHAIN_HEADER } from './proof-schema.ts';
import { PROOF_SCOPES } from './proofs.ts';
import { closedObject } from '../../http/schema.ts';

/**
 * Maximum duration of the export of a chain; not longer than a stopping process waits for running
 * calls, so that a shutdown does not interrupt it.
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

export const exportProofsRoute = (certificates: Client<typeof CertificateService>): Route => ({
  id: 'exportProofs',
  method: 'get',
  path: '/v1/proofs/export',
  surface: 'native',
  tag: 'Proofs',
  summary: 'Export the chain: a header, then every certificate in order',
  scopes: PROOF_SCOPES,
  wantsStream: () => true,
  query: { format: { enum: ['ndjson', 'json'] } },
  responses: {
    200: {
      description: 'The chain; by default one JSON text a line, the header first',
      streamedAs: NDJSON.contentType,
      schema: closedObject({ chain: CHAIN_HEADER, proofs: { type: 'array', items: CERTIFICATE } }),
    },
    400: DOCUMENTED_ERROR.native('The format is not known'),
  },
  handle: async (call) => {
    const { response, signal } = call;
    const writer = call.query.format === 'json' ? JSON_DOCUMENT : NDJSON;
    const options = { ...optionsOf(call), timeoutMs: EXPORT_TIMEOUT_MS };
    let isFirst = true;
    for await (const { event } of certificates.exportChain({}, options)) {
      if (event.case === 'header') {
        response.setHeader('content-type', writer.contentType);
        await writeChunk(response, writer.open(encodeHeader(event.value)), signal);
      } else if (event.case === 'page') {
        const texts = event.value.certificates.map((certificate: Certificate) =>
          encodeCertificate(certificate),
        );
        await writeChunk(response, writer.page(texts, isFirst), signal);
        isFirst = false;
      }
    }
    response.end(writer.close);
    return undefined;
  },
});

const encodeHeader = ({ workspaceId, issuer, genesis, keys }: ChainHeader): string =>
  JSON.stringify({ workspaceId, issuer, genesis, keys: keys.map(encodeKey) });
