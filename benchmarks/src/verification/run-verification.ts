import { verify } from 'node:crypto';
import { promisify } from 'node:util';
import { parseKeyList, verifyCertificate, verifyChain } from '@witan/proof';
import type { BenchContext, BenchResult } from '../bench.ts';
import { measureRounds } from '../measure-row.ts';
import { atLeast, atMost, toTable } from '../report/print-report.ts';
import { medianRows } from '../report/summarize-rows.ts';
import { makeChain } from './make-chain.ts';
import type { MadeChain } from './make-chain.ts';

type Load = 'bare' | 'certificate' | 'bare, threads' | 'chain';
type VerificationRow = { load: Load; round: number; perSecond: number; cpuPer1000: number };

const CERTIFICATE_AIM_MS = 0.3;
const CHAIN_AIM = 10_000;
/** Number of signatures in flight in `bare, threads`. */
const IN_FLIGHT = 64;

/** Measures libs/proof in this process, compared with bare Ed25519 of node:crypto. */
export const runVerification = async ({ preset, log }: BenchContext): Promise<BenchResult> => {
  const { certificates } = preset.verification;
  const loads = toLoads(makeChain(certificates));
  for (const verifyAll of Object.values(loads)) await verifyAll();
  const plan = (Object.keys(loads) as Load[]).map((load) => ({
    label: `verification, ${load}`,
    measure: () => measure(load, certificates, loads[load]),
  }));
  const rows: VerificationRow[] = await measureRounds(plan, { preset, log });
  const summary = medianRows(rows, ({ load }) => load);
  const rateOf = (load: Load): number => summary.find((row) => row.load === load)!.perSecond;
  return {
    config: { certificates, inFlight: IN_FLIGHT },
    rows,
    summary,
    tables: [
      toTable('medians of rounds', summary, [
        ['load', ({ load }) => load],
        ['a second', ({ perSecond }) => perSecond.toFixed(0)],
        ['ms each', ({ perSecond }) => (1_000 / perSecond).toFixed(3)],
        ['CPU s per 1,000', ({ cpuPer1000 }) => cpuPer1000.toFixed(3)],
      ]),
    ],
    checks: { valid: 'every certificate and chain: the run fails where one is not' },
    aims: [
      atMost('verify a certificate', 'ms', CERTIFICATE_AIM_MS, 1_000 / rateOf('certificate')),
      atLeast('certificates of a chain', '/s', CHAIN_AIM, rateOf('chain')),
    ],
  };
};

const measure = async (
  load: Load,
  certificates: number,
  verifyAll: () => Promise<void>,
): Promise<Omit<VerificationRow, 'round'>> => {
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  await verifyAll();
  const { user, system } = process.cpuUsage(cpu);
  const perSecond = (certificates / (performance.now() - startedAt)) * 1_000;
  return { load, perSecond, cpuPer1000: (user + system) / 1_000 / certificates };
};

const verifyInPool = promisify(verify);

const toLoads = ({ publicKey, lines, signed }: MadeChain): Record<Load, () => Promise<void>> => {
  const [header, ...certificates] = lines;
  const { keys } = (JSON.parse(header!) as { chain: { keys: unknown } }).chain;
  const parsedKeys = parseKeyList(keys);
  return {
    bare: async () => {
      for (const { message, signature } of signed) {
        check(verify(null, message, publicKey, signature));
      }
    },
    certificate: async () => {
      for (const certificate of certificates) verifyCertificate(certificate, parsedKeys);
    },
    'bare, threads': async () => {
      const rest = signed.values();
      const verifyRest = async (): Promise<void> => {
        for (const { message, signature } of rest) {
          check(await verifyInPool(null, message, publicKey, signature));
        }
      };
      await Promise.all(Array.from({ length: IN_FLIGHT }, verifyRest));
    },
    chain: async () => {
      check((await verifyChain(lines, { keys: parsedKeys })).count === certificates.length);
    },
  };
};

const check = (isValid: boolean): void => {
  if (!isValid) throw new Error('A valid signature or chain was refused.');
};
