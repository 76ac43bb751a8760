import { advance, as, startOn } from './open-simulation.ts';
import type { ChildTask } from './run-in-child.ts';
import { decisionOf, scriptCouncil } from './script-council.ts';
import { scriptWriter } from './script-writer.ts';

// The start file of a service that tests kill: plays one turn, or plays all turns again.

/** Soon over, so that nobody waits long for one who was killed. */
const LEASE_MS = 1_500;

const task = JSON.parse(process.argv[2]!) as ChildTask;
const { databaseUrl, workspaceId, simulationId, levers } = task;
const council = scriptCouncil();
council.script(({ key }) => {
  process.stdout.write(`held ${key}\n`);
  return decisionOf(levers);
});
const stage = { databaseUrl, council, writer: scriptWriter() };
process.stdout.write('begins\n');
await using service = await startOn(stage, { leaseMs: LEASE_MS });
process.stdout.write('serves\n');
if (task.do === 'advance') {
  const { states } = await advance(service, { workspaceId, simulationId });
  for (const { stateHash } of states) process.stdout.write(`state ${stateHash}\n`);
} else {
  const { matches } = await service.simulations.replay({ simulationId }, as(workspaceId));
  process.stdout.write(`matches ${String(matches)}\n`);
}
