import { Badge } from '../../ui/page-state.tsx';
import type { Tone } from '../../ui/page-state.tsx';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import type { TableColumn } from '../../ui/table.tsx';
import type { Simulation, State } from './simulations-query.ts';
import { createFormatTurn } from './turn-label.ts';

type EventRow = State['events'][number] & { id: string; turn: string; scenario: string };

const TONES: Readonly<Record<EventRow['impact'], Tone>> = {
  low: 'neutral',
  medium: 'warn',
  high: 'bad',
};

type EventsProps = { simulation: Simulation; states: readonly State[] };

/** What happened to the company in all scenarios, newest first. */
export const Events = ({ simulation, states }: EventsProps) => {
  const formatTurn = createFormatTurn(simulation.turnUnit);
  const names = new Map(simulation.scenarios.map(({ id, name }) => [id, name]));
  const rows = states.toReversed().flatMap(({ id, scenarioId, turn, events }) =>
    events.map((event, index) => ({
      ...event,
      id: `${id}-${index}`,
      turn: formatTurn(turn),
      scenario: names.get(scenarioId) ?? scenarioId,
    })),
  );
  return (
    <Section
      title="Events"
      intro="Chance, such as a recession or a lost customer, and its effects."
    >
      {rows.length === 0 ? (
        <p className="muted">Nothing out of the ordinary has happened so far.</p>
      ) : (
        <Table label="Events" columns={COLUMNS} items={rows} />
      )}
    </Section>
  );
};

const COLUMNS: readonly TableColumn<EventRow>[] = [
  { id: 'turn', title: 'Turn', cell: ({ turn }) => turn },
  { id: 'label', title: 'Event', isRowHeader: true, cell: ({ label }) => label },
  { id: 'scenario', title: 'Scenario', cell: ({ scenario }) => scenario },
  {
    id: 'impact',
    title: 'Impact',
    cell: ({ impact }) => <Badge tone={TONES[impact]}>{impact}</Badge>,
  },
  {
    id: 'duration',
    title: 'Lasts',
    cell: ({ duration }) => `${duration} quarter${duration === 1 ? '' : 's'}`,
  },
];
