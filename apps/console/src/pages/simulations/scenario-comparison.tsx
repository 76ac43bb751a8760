import { Table } from '../../ui/table.tsx';
import type { TableColumn } from '../../ui/table.tsx';
import { FIGURES, formatFigure, readNumber } from './figure.ts';
import type { FigureName, FormatMoney } from './figure.ts';
import { describeParameters } from './parameters.ts';
import { lastStates } from './series.ts';
import type { Scenario, Simulation, State } from './simulations-query.ts';

const COMPARED = [
  'revenue',
  'ebitda',
  'cash',
  'burn',
  'marketShare',
  'employees',
  'valuation',
] as const satisfies FigureName[];

type ScenarioComparisonProps = {
  simulation: Simulation;
  states: readonly State[];
  formatMoney: FormatMoney;
};

type Row = { id: string; label: string; valueOf: (scenario: Scenario) => string };

/** The last figures of all scenarios in one table, a column each. */
export const ScenarioComparison = (props: ScenarioComparisonProps) => {
  const { simulation, states, formatMoney } = props;
  const last = lastStates(states);
  const figure = (name: FigureName): Row => ({
    id: name,
    label: labelOf(name),
    valueOf: ({ id }) => {
      const state = last.get(id);
      if (state === undefined) return '–';
      return formatFigure(name, readNumber(state.companyState, name), formatMoney);
    },
  });
  const rows: readonly Row[] = [
    { id: 'world', label: 'World', valueOf: ({ parameters }) => describeWorld(parameters) },
    { id: 'turn', label: 'After turn', valueOf: ({ id }) => String(last.get(id)?.turn ?? '–') },
    ...COMPARED.map(figure),
  ];
  const columns: readonly TableColumn<Row>[] = [
    { id: 'figure', title: 'Figure', isRowHeader: true, cell: ({ label }) => label },
    ...simulation.scenarios.map((scenario) => ({
      id: scenario.id,
      title: scenario.name,
      cell: ({ valueOf }: Row) => valueOf(scenario),
    })),
  ];
  return <Table label="Scenarios at the end" columns={columns} items={rows} />;
};

const labelOf = (name: FigureName): string => {
  const { label, unit } = FIGURES[name];
  return unit.startsWith('per') ? `${label} ${unit}` : label;
};

const describeWorld = (parameters: object): string =>
  describeParameters(parameters)
    .map(({ name, text }) => `${name} ${text}`)
    .join('; ') || 'as the model has it';
