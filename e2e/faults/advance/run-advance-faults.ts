import { openReceiver, openScriptedProvider } from '@witan/testing';
import type { Receiver } from '@witan/testing';
import { readPath } from '../config.ts';
import { openConversationApi } from '../debates/conversation-api.ts';
import { judgeCertificates } from '../judge-certificates.ts';
import { meteredEnvironment } from '../metered-environment.ts';
import { openRunningSystem } from '../open-running-system.ts';
import { untilReceived } from '../until-received.ts';
import { ADVANCE_FAULTS, noFault } from './advance-faults.ts';
import { findAdvanceViolations } from './find-advance-violations.ts';
import { AGENT_NAMES, createScriptedCompany, toPersona } from './scripted-company.ts';
import { runAdvance } from './run-advance.ts';
import type { AdvanceContext, AdvanceRun } from './run-advance.ts';
import { openSimulationApi } from './simulation-api.ts';

export type AdvanceOutcome = {
  name: string;
  calls: number;
  /** Number of model calls in excess of those of an advance without faults. */
  extraCalls: number;
  statuses: readonly number[];
  tookMs: number;
  violations: string[];
};

export type AdvanceReport = {
  /** Number of model calls of an advance without faults. */
  minimum: number;
  rounds: AdvanceOutcome[];
  /** Totals over all advances, read once no call is in flight. */
  certificates: { calls: number; certificates: number; charged: number; webhooks: number };
  violations: string[];
};

const COMPLETION_TIMEOUT_MS = 20_000;
/**
 * Duration of a panel's lease, in milliseconds. After it, another process continues the panel of a
 * killed process.
 */
const DEBATE_LEASE_MS = 3_000;
/** Maximum number of violations that are printed for each fault. */
const VIOLATIONS_SHOWN = 5;
const WEBHOOK_PATH = '/simulations';

type RunContext = AdvanceContext & { home: string; receiver: Receiver };

/**
 * Runs an advance without faults, then one for each fault whose name contains `only`, and compares
 * their outcomes.
 */
export const runAdvanceFaults = async ({
  home,
  only,
}: {
  home: string;
  only: string;
}): Promise<AdvanceReport> => {
  await using owned = new AsyncDisposableStack();
  const company = createScriptedCompany();
  const provider = owned.use(
    await openScriptedProvider({ models: ['gpt-5'], fallback: company.script }),
  );
  const receiver = owned.use(await openReceiver());
  const system = await openRunningSystem(home, {
    PATH: readPath(),
    OPENAI_BASE_URL: provider.baseUrl,
    OPENAI_API_KEY: 'sk-faults',
    WITAN_ALLOW_PRIVATE_TARGETS: '127.0.0.1',
    WITAN_DEBATE_LEASE_MS: String(DEBATE_LEASE_MS),
    ...meteredEnvironment(COMPLETION_TIMEOUT_MS),
  });
  owned.defer(async () => void (await system.stop()));
  const { databaseUrl, natsUrl, ...file } = await system.readFile();
  if (!natsUrl) throw new Error('This part needs a nats-server on the PATH.');
  const api = openSimulationApi(system.readFile);
  await api.createWebhook(receiver.urlOf(WEBHOOK_PATH));
  await openConversationApi(file).replaceAgents(AGENT_NAMES.map(toPersona));
  return await runAllAdvances({ system, api, company, databaseUrl, home, receiver }, only);
};

const runAllAdvances = async (context: RunContext, only: string): Promise<AdvanceReport> => {
  const runs: AdvanceRun[] = [];
  const rounds: AdvanceOutcome[] = [];
  let expected = { outcome: '', calls: [] as readonly string[] };
  const selectedFaults = [noFault, ...ADVANCE_FAULTS.filter(({ name }) => name.includes(only))];
  for (const [number, fault] of selectedFaults.entries()) {
    const { name } = fault;
    try {
      const run = await runAdvance(number, fault, context);
      const { outcome = '', calls, statuses } = run.evidence;
      if (fault === noFault) expected = { outcome, calls };
      if (expected.calls.length === 0) throw new Error('No call was recognised as its own.');
      runs.push(run);
      const judged = findAdvanceViolations({ ...run.evidence, expected });
      const violations = judged.map((one) => `${name}: ${one}`);
      const extraCalls = calls.length - expected.calls.length;
      const { tookMs } = run;
      rounds.push({ name, calls: calls.length, extraCalls, statuses, tookMs, violations });
    } catch (error) {
      // An error of one fault counts as a violation, so that the next faults still run.
      const noMeasurements = { calls: 0, extraCalls: 0, statuses: [], tookMs: 0 };
      rounds.push({ name, ...noMeasurements, violations: [`${name}: ${String(error)}`] });
    }
    printOutcome(rounds.at(-1)!);
  }
  const { violations, ...certificates } = await judgeAllCertificates(runs, context);
  const found = rounds.flatMap((fault) => fault.violations);
  return {
    minimum: expected.calls.length,
    rounds,
    certificates,
    violations: [...found, ...violations],
  };
};

const printOutcome = ({ name, violations, ...events }: AdvanceOutcome): void => {
  const verdict = violations.length === 0 ? 'ok' : `${violations.length} VIOLATIONS`;
  process.stdout.write(`${name}: ${verdict} ${JSON.stringify(events)}\n`);
  for (const one of violations.slice(0, VIOLATIONS_SHOWN)) process.stdout.write(`  ${one}\n`);
};

/**
 * Checks the certificates, ledger entries and webhooks of all advances; returns totals and
 * violations.
 */
const judgeAllCertificates = async (
  runs: readonly AdvanceRun[],
  { system, home, receiver, company }: RunContext,
): Promise<AdvanceReport['certificates'] & { violations: string[] }> => {
  const webhookViolations = await judgeWebhooks(runs, receiver);
  const { calls } = company;
  const proofIds = runs.flatMap((run) => run.proofIds);
  const limits = { home, completionTimeoutMs: COMPLETION_TIMEOUT_MS };
  const judged = await judgeCertificates(limits, system.readFile, { calls, proofIds });
  const webhooks = receiver.requestsOf(WEBHOOK_PATH).length;
  return { ...judged, webhooks, violations: [...webhookViolations, ...judged.violations] };
};

/**
 * Returns a violation for each simulation whose delivered webhooks differ from the events in its
 * outbox.
 */
const judgeWebhooks = async (
  runs: readonly AdvanceRun[],
  receiver: Receiver,
): Promise<string[]> => {
  type WebhookBody = { event: string; data: { simulationId: string } };
  const expectedCount = runs.reduce((sum, { evidence }) => sum + evidence.events.length, 0);
  const all = (await untilReceived(receiver, WEBHOOK_PATH, expectedCount)).map(
    ({ body }) => JSON.parse(body.toString()) as WebhookBody,
  );
  return runs.flatMap(({ simulationId, evidence }) => {
    const own = all.filter(({ data }) => data.simulationId === simulationId);
    const delivered = own
      .map(({ event }) => event)
      .toSorted()
      .join(', ');
    const emitted = evidence.events.toSorted().join(', ');
    return delivered === emitted ? [] : [`${simulationId}: webhooks ${delivered}, not ${emitted}`];
  });
};
