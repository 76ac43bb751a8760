import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { genesisHash, parseKeyList } from '@witan/proof';
import type { SystemFile } from '@witan/stack';
import { checkChain } from '../chain/check-chain.ts';
import type { ChainCheck } from '../chain/check-chain.ts';

type Header = { chain: { workspaceId: string; issuer: string; genesis: string; keys: unknown } };

/**
 * Exports a system's chain over its public API, verifies it, and compares it with the proof ids of
 * all calls.
 */
export const checkExportedChain = async (
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
