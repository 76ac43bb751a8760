import { newId } from '@witan/service-kit';
import type { Bench } from '../bench.ts';
import { checkChain } from '../chain/check-chain.ts';
import { measureRow, runStretch } from '../measure-row.ts';
import type { Target } from '../measure-row.ts';
import type { Pace } from '../pace.ts';
import { readPostgresFacts } from '../postgres-facts.ts';
import { summarizeRows } from '../report/summarize-rows.ts';
import type { RawRow } from '../report/summarize-rows.ts';
import { compareWithInserts, judgeLedger } from './compare-with-inserts.ts';
import {
  appendTarget,
  certifyTarget,
  INSERT_CONNECTIONS_MAX,
  insertTarget,
  openCertifier,
  openInserter,
} from './create-targets.ts';
import { openLedger } from './open-ledger.ts';
import { createPlainTable, readChain } from './plain-table.ts';

type Case = { system: string; callers: readonly number[]; target: Target };

/** Issuer of a ledger that was not given another. */
const ISSUER = 'witan';

/**
 * Certificates on one chain through gRPC, beside the same rows inserted plainly, in turns; then
 * the chain is checked against every call.
 */
export const runLedger: Bench = async ({ pace, stateDir, resources, tell }) => {
  const ledger = await openLedger(stateDir, resources);
  const workspaceId = newId('ws');
  const certifier = resources.use(await openCertifier(ledger, workspaceId, stateDir));
  const inserter = resources.use(await openInserter(ledger, stateDir));
  const ids: string[] = [];
  const certify = certifyTarget(ledger, certifier, ids);
  tell('warming up the ledger');
  const { callers, row } = pace.ledger;
  const most = Math.max(...callers);
  const warmUp = { inFlight: most, maxMs: pace.firstWarmUpMs, maxCalls: row.callsMax };
  await runStretch(certify, warmUp);
  const like = await createPlainTable(ledger.postgres.adminUrl);
  const insert = insertTarget(ledger, inserter, like);
  await runStretch(insert, warmUp);
  const rows = await measureAll(
    [
      { system: 'insert', callers, target: insert },
      { system: 'certify', callers, target: certify },
      { system: 'append', callers: [1, most], target: appendTarget(ledger, certifier, ids) },
    ],
    pace,
    tell,
  );
  tell('checking the chain');
  const chain = { issuer: ISSUER, workspaceId };
  const { adminUrl } = ledger.postgres;
  const check = await readChain(adminUrl, chain, (source) => checkChain({ ...source, ids }));
  const summary = compareWithInserts(summarizeRows(rows));
  return {
    config: {
      callers,
      insertConnectionsMax: INSERT_CONNECTIONS_MAX,
      postgres: await readPostgresFacts(adminUrl),
    },
    rows,
    summary,
    checks: { chain: check },
    aims: judgeLedger(summary, pace),
  };
};

const measureAll = async (
  cases: readonly Case[],
  pace: Pace,
  tell: (line: string) => void,
): Promise<RawRow[]> => {
  const rows: RawRow[] = [];
  for (let round = 1; round <= pace.rounds; round += 1) {
    for (const inFlight of pace.ledger.callers) {
      for (const { system, callers, target } of cases) {
        if (!callers.includes(inFlight)) continue;
        tell(`round ${round} of ${pace.rounds}: ${system}, ${inFlight} callers`);
        const row = await measureRow(target, inFlight, pace.ledger.row);
        rows.push({ system, load: 'certificate', inFlight, round, ...row });
      }
    }
  }
  return rows;
};
