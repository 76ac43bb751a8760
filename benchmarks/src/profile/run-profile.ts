import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '@witan/service-kit';
import type { BenchContext } from '../bench.ts';
import { createGatewayTarget } from '../gateway/create-target.ts';
import { GATEWAY_LOADS } from '../gateway/gateway-loads.ts';
import { openLoadGenerator, openProvider, openWitan } from '../gateway/open-systems.ts';
import type { LoadGenerator, Provider } from '../gateway/open-systems.ts';
import { certifyTarget, openCertifier } from '../ledger/create-targets.ts';
import { openLedger } from '../ledger/open-ledger.ts';
import { printProfiles, profileStretch } from './profile-stretch.ts';
import type { Stretch } from './profile-stretch.ts';

type Outside = { provider: Provider; clients: LoadGenerator };

/** Gateway loads that are profiled unless others are chosen. */
const LOADS: readonly string[] = ['chat-plain', 'chat-streamed'];

/**
 * Prints the CPU use of every process of Witan by function at full load: of the gateway, plain and
 * streamed, in one process and in separate ones, and, unless loads are chosen, of the metered
 * ledger with many callers.
 */
export const runProfile = async (context: BenchContext): Promise<void> => {
  const { stateDir, resources } = context;
  const outside = {
    provider: await openProvider(stateDir, resources),
    clients: await openLoadGenerator(stateDir, resources),
  };
  for (const mode of ['standalone', 'processes'] as const) {
    await profileGateway(mode, outside, context);
  }
  if (!context.choice.loads) await profileLedger(context);
};

const profileGateway = async (
  mode: 'standalone' | 'processes',
  outside: Outside,
  { stateDir, pace, choice, resources, log }: BenchContext,
): Promise<void> => {
  const profileDir = await makeProfileDir(stateDir, mode);
  const own = resources.use(new AsyncDisposableStack());
  const providerUrl = outside.provider.ready.url;
  const metering = 'unmetered';
  const system = await openWitan({ mode, metering, stateDir, providerUrl, profileDir }, own);
  const inFlight = choice.inFlight?.[0] ?? pace.gateway.inFlight.busy[0]!;
  const stretches: Stretch[] = [];
  const wanted = choice.loads ?? LOADS;
  for (const load of GATEWAY_LOADS.filter(({ name }) => wanted.includes(name))) {
    log(`profiling ${system.name}, ${load.name}`);
    const target = createGatewayTarget({ system, load, ...outside, ids: [] });
    stretches.push(await profileStretch(load.name, target, { inFlight, pace }));
  }
  // Node writes the profiles when the processes end.
  await own.disposeAsync();
  await printProfiles(profileDir, system.processes, { system: system.name, stretches });
};

const profileLedger = async ({ stateDir, pace, resources, log }: BenchContext): Promise<void> => {
  const profileDir = await makeProfileDir(stateDir, 'ledger');
  const own = resources.use(new AsyncDisposableStack());
  const ledger = await openLedger({ stateDir, metering: 'metered', profileDir }, own);
  const certifier = own.use(await openCertifier(ledger, stateDir));
  const workspaceIds = [newId('ws')];
  const target = certifyTarget({ ledger, certifier, workspaceIds, ids: new Map() });
  const inFlight = Math.max(...pace.ledger.callers);
  log(`profiling the ledger, ${inFlight} callers`);
  const stretch = await profileStretch('certify, metered', target, { inFlight, pace });
  await own.disposeAsync();
  const system = `${inFlight} callers`;
  await printProfiles(profileDir, target.counted, { system, stretches: [stretch] });
};

const makeProfileDir = async (stateDir: string, name: string): Promise<string> => {
  const dir = join(stateDir, `profiles-${name}`);
  await mkdir(dir);
  return dir;
};
