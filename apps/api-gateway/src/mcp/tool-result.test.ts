import { describe, expect, it } from '@jest/globals';
import { create } from '@bufbuild/protobuf';
import { GetCertificateResponseSchema, unavailable } from '@witan/contracts';
import type { RouteCall } from '../http/route.ts';
import { proofIdsOf, readProofMeta, toErrorResult } from './tool-result.ts';

const callWith = (signal: AbortSignal) => {
  const headers: Record<string, string> = {};
  const setHeader = (name: string, value: string): void => void (headers[name] = value);
  const response = { headersSent: false, setHeader };
  const principal = { workspaceId: 'ws_1', keyId: 'key_1' };
  const call = { signal, response, principal } as unknown as RouteCall;
  return { call, headers };
};

const ledger = (failure?: Error) => ({
  getCertificate: async () => {
    if (failure) throw failure;
    const certificate = { payloadHash: 'hash', keyId: 'key' };
    return create(GetCertificateResponseSchema, { certificate });
  },
});

describe('the certificates of a tool result', () => {
  it('are named with the hash and the key of the first one', async () => {
    const { call, headers } = callWith(new AbortController().signal);
    expect(await readProofMeta(['pf_2', 'pf_1'], call, ledger())).toEqual({
      'dev.witan/proof': { proofIds: ['pf_2', 'pf_1'], payloadHash: 'hash', keyId: 'key' },
    });
    expect(headers).toEqual({ 'x-service-proof': 'pf_2' });
  });

  it('are named by their ids alone while the ledger cannot be read', async () => {
    const { call } = callWith(new AbortController().signal);
    const meta = await readProofMeta(['pf_1'], call, ledger(unavailable('The ledger is down.')));
    expect(meta).toEqual({ 'dev.witan/proof': { proofIds: ['pf_1'] } });
  });

  it('are not sought for a client that left', async () => {
    const { call } = callWith(AbortSignal.abort());
    const failing = ledger(unavailable('The ledger is down.'));
    await expect(readProofMeta(['pf_1'], call, failing)).rejects.toThrow('The ledger is down.');
  });

  it('are none without a completion', async () => {
    const { call } = callWith(new AbortController().signal);
    expect(await readProofMeta([], call, ledger())).toEqual({});
    expect(proofIdsOf({ headers: {}, json: {} })).toEqual([]);
  });

  it('come from headers and body, that of the text first', () => {
    const headers = { 'x-service-proof': 'pf_2', 'x-service-proofs': 'pf_1, pf_2' };
    expect(proofIdsOf({ headers, json: { proofs: ['pf_3'] } })).toEqual(['pf_2', 'pf_1', 'pf_3']);
  });
});

describe('the result of a failed tool', () => {
  it('has every fault of the arguments as text for the model', () => {
    const details = [
      { path: 'a', message: 'is required' },
      { path: 'b', message: 'is required' },
    ];
    const error = { message: 'a is required.', details };
    expect(toErrorResult(error)).toEqual({
      content: [{ type: 'text', text: 'a is required.\na is required\nb is required' }],
      isError: true,
      _meta: { 'dev.witan/error': error },
    });
  });
});
