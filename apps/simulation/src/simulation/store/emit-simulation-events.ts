import { create, toBinary } from '@bufbuild/protobuf';
import { SimulationReportReadySchema, SimulationTickCompletedSchema } from '@witan/contracts';
import { writeEvent } from '@witan/service-kit';
import type { Transaction } from '@witan/service-kit';
import type { LeasedSimulation } from '../turn-store.ts';

export const emitTickCompleted = async (
  em: Transaction,
  { workspaceId, simulationId }: LeasedSimulation,
  { turn, stateCount }: { turn: number; stateCount: number },
): Promise<void> => {
  const message = create(SimulationTickCompletedSchema, { simulationId, turn, stateCount });
  const payload = toBinary(SimulationTickCompletedSchema, message);
  await writeEvent(em, { workspaceId, type: 'simulation.tick.completed', payload });
};

export const emitReportReady = async (
  em: Transaction,
  { workspaceId, simulationId }: LeasedSimulation,
  { name, turnsCompleted }: { name: string; turnsCompleted: number },
): Promise<void> => {
  const message = create(SimulationReportReadySchema, { simulationId, name, turnsCompleted });
  const payload = toBinary(SimulationReportReadySchema, message);
  await writeEvent(em, { workspaceId, type: 'simulation.report.ready', payload });
};
