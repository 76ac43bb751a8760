import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { genesisHash, parseKeyList } from '@witan/proof';
import type { SystemFile } from '@witan/stack';
import { checkChain } from './check-chain.ts';
import type { ChainCheck } from './check-chain.ts';
import { readLedger, verifyLedger } from './verify-ledger.ts';
import type { LedgerCheck } from './verify-ledger.ts';

type Header = { chain: { workspaceId: string; issuer: string; genesis: string; keys: unknown } };

/**
 * Verifies chain and ledger of a system after its load. `ids` are the proof ids of all calls.
 * `calls` is the number of calls if the benchmark also counted them; by default it is the number of
 * ids.
 */
export const checkSystem = async (
  file: SystemFile,
  { ids, calls = ids.length }: { ids: readonly string[]; calls?: number },
): Promise<{ chain: ChainCheck; ledger: LedgerCheck }> => ({
  chain: await checkExportedChain(file, ids),
  ledger: verifyLedger(await readLedger(file.databaseUrl), {
    calls: new Map([[file.workspaceId, calls]]),
    metering: 'unmetered',
  }),
});

/**
 * Exports a system's chain over its public API, verifies it, and compares it with the proof ids of
 * all calls.
 */
const checkExportedChain = async (
  { baseUrl, apiKey, workspaceId }: SystemFile,
  ids: readonly string[],
): Promise<ChainCheck> => {
  const answer = await fetch(`${baseUrl}/v1/proofs/export`, { headers: { 'x-api-key': apiKey } });
  if (!answer.ok || !answer.body) throw new Error(`The export was answered ${answer.status}.`);
  const input = Readable.fromWeb(answer.body);
  const lines = createInterface({ input })[Symbol.asyncIterator]();
  const first = await lines.next();
  const { issuer, genesis, keys } = (JSON.parse(String(first.value)) as Header).chain;
  if (genesis !== genesisHash(issuer, workspaceId)) throw new Error('The genesis hash is wrong.');
  return checkChain({
    issuer,
    genesis,
    keys: parseKeyList(keys),
    certificates: parseLines(lines),
    ids,
  });
};

async function* parseLines(lines: AsyncIterator<string>): AsyncGenerator {
  for (let line = await lines.next(); !line.done; line = await lines.next()) {
    yield JSON.parse(line.value);
  }
}
