import type { Certificate, CertificatePayload } from '../src/certificate.ts';
import { genesisHash } from '../src/verify-chain.ts';
import type { ProofReason } from '../src/errors.ts';
import { chainHeader, exampleChain, ISSUER, OLD_KEY, certify, WORKSPACE_ID } from './samples.ts';

export type InvalidChain = { name: string; reason: ProofReason; index?: number; lines: string[] };

export function invalidChains(): InvalidChain[] {
  const chain = exampleChain();
  const header = chainHeader();
  const otherGenesis = genesisHash(ISSUER, 'ws_other');
  return [
    ...badHeaders(chain),
    {
      name: 'a header that names another workspace',
      reason: 'genesis',
      lines: lines({ ...header, workspaceId: 'ws_other' }, chain),
    },
    {
      name: 'the chain of another workspace',
      reason: 'genesis',
      index: 0,
      lines: lines({ ...header, workspaceId: 'ws_other', genesis: otherGenesis }, chain),
    },
    {
      name: 'the chain of another issuer',
      reason: 'issuer',
      index: 0,
      lines: lines({ ...header, issuer: 'x', genesis: genesisHash('x', WORKSPACE_ID) }, chain),
    },
    {
      name: 'the first one missing',
      reason: 'hole',
      index: 0,
      lines: lines(header, chain.slice(1)),
    },
    { name: 'one missing', reason: 'hole', index: 2, lines: lines(header, chain.toSpliced(2, 1)) },
    { name: 'two swapped', reason: 'hole', index: 1, lines: lines(header, swapTwo(chain)) },
    {
      name: 'one twice',
      reason: 'fork',
      index: 3,
      lines: lines(header, chain.toSpliced(2, 0, chain[2] as Certificate)),
    },
    {
      name: 'an id twice',
      reason: 'duplicate_id',
      index: 1,
      lines: lines(header, chain.with(1, certifyChanged(chain, 1, { id: chain[0]!.payload.id }))),
    },
    {
      name: 'a certificate behind a lost predecessor',
      reason: 'prev_hash',
      index: 1,
      lines: lines(header, chain.with(1, certifyChanged(chain, 1, { prevHash: '0'.repeat(64) }))),
    },
    {
      name: 'a certificate older than its predecessor',
      reason: 'issued_at',
      index: 1,
      lines: lines(
        header,
        chain.with(1, certifyChanged(chain, 1, { issuedAt: '2026-02-14T09:30:00.124Z' })),
      ),
    },
    {
      name: 'a changed certificate',
      reason: 'payload_hash',
      index: 4,
      lines: lines(header, chain.with(4, withChangedPayload(chain[4] as Certificate))),
    },
  ];
}

function badHeaders(chain: Certificate[]): InvalidChain[] {
  const header = chainHeader();
  return [
    { name: 'no header', reason: 'chain_header', lines: lines(undefined, chain) },
    {
      name: 'a header without keys',
      reason: 'public_key',
      lines: lines({ ...header, keys: [] }, chain),
    },
    {
      name: 'a header with an unknown member',
      reason: 'chain_header',
      lines: lines({ ...header, exportedAt: '2026-05-01T00:00:00.000Z' }, chain),
    },
    {
      name: 'an unknown member beside the header',
      reason: 'chain_header',
      lines: lines(header, chain).with(0, JSON.stringify({ chain: header, note: 'x' })),
    },
    {
      name: 'a byte order mark',
      reason: 'chain_header',
      lines: lines(header, chain).map((line, i) => (i === 0 ? `\uFEFF${line}` : line)),
    },
    {
      name: 'a header with a key in another spelling',
      reason: 'public_key',
      lines: lines(
        { ...header, keys: header.keys.map((row) => ({ ...row, publicKey: rawText(row) })) },
        chain,
      ),
    },
  ];
}

function lines(chain: unknown, certificates: Certificate[]): string[] {
  const head = chain === undefined ? [] : [{ chain }];
  return [...head, ...certificates].map((line) => JSON.stringify(line));
}

/** Returns the base64 of a key, which its PEM has in one line. */
const rawText = ({ publicKey }: { publicKey: string }): string => publicKey.split('\n')[1]!;

function certifyChanged(
  chain: Certificate[],
  index: number,
  change: Partial<CertificatePayload>,
): Certificate {
  return certify({ ...chain[index]?.payload, ...change }, OLD_KEY);
}

function withChangedPayload(certificate: Certificate): Certificate {
  return { ...certificate, payload: { ...certificate.payload, address: { kind: 'model' } } };
}

function swapTwo(chain: Certificate[]): Certificate[] {
  return [chain[0], chain[2], chain[1], ...chain.slice(3)] as Certificate[];
}
