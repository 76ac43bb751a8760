import { createHash } from 'node:crypto';
import { expect } from '@jest/globals';
import { verifyCertificate, verifyRequest, verifyResponse } from '@witan/proof';
import type { CertificatePayload } from '@witan/proof';
import { expectConforming } from './expect-conforming.ts';
import type { Pairing } from './pairings.ts';
import type { ClientSetup } from './open-client-setup.ts';
import type { RecordedExchange } from './create-fetch-recorder.ts';

export type ExpectedEnding = {
  finishReason: string;
  /**
   * Absent if the provider reported no usage; the certificate must then mark its counts as
   * estimated.
   */
  usage?: { input: number; output: number };
};

/**
 * Expects the last response to conform to its dialect, and its certificate to be signed, to commit
 * to what the client sent and received, and to name provider, model, egress and finish reason.
 * Returns the certificate's payload.
 */
export const expectProven = async (
  setup: ClientSetup,
  { vendor, crossed }: Pairing,
  { finishReason, usage }: ExpectedEnding,
): Promise<CertificatePayload> => {
  const call = setup.lastCall();
  await call.ended;
  expectConforming(call, { isGatewayOutput: crossed });
  const payload = await readCertificate(setup, call);
  verifyRequest(payload, call.requestBody);
  verifyResponse(payload, call.bytes());
  const { provider, model } = vendor;
  expect(payload.request.model).toBe(model);
  expect(payload.egress).toMatchObject({
    provider,
    model,
    sha256: sha256(setup.lastRequest().body),
  });
  expect(payload.response).toMatchObject({ finishReason, usage: toUsage(usage) });
  expect(payload.routing.reason).toBe(vendor.reason);
  return payload;
};

/**
 * Returns the payload of the certificate that the `x-service-proof` header names, after verifying
 * its signature.
 */
export const readCertificate = async (
  setup: ClientSetup,
  { headers }: RecordedExchange,
): Promise<CertificatePayload> => {
  const id = headers.get('x-service-proof');
  expect(id).toMatch(/^pf_/);
  const { text } = await setup.fixture.client.send(`/v1/proofs/${id}`);
  return verifyCertificate(text, setup.keys).payload;
};

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const toUsage = (usage: ExpectedEnding['usage']): object =>
  usage
    ? {
        promptTokens: usage.input,
        completionTokens: usage.output,
        totalTokens: usage.input + usage.output,
      }
    : { estimated: true };
