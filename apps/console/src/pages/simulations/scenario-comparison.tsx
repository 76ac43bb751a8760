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

/** The last figures of all scenarios in one table. */
export const ScenarioComparison = (props: ScenarioComparisonProps) => {
  const { simulation, states, formatMoney } = props;
  const last = lastStates(states);
  const figure = (name: FigureName): TableColumn<Scenario> => {
    const { label, unit } = FIGURES[name];
    return {
      id: name,
      title: unit.startsWith('per') ? `${label} ${unit}` : label,
      cell: ({ id }) => {
        const state = last.get(id);
        return state
          ? formatFigure(name, readNumber(state.companyState, name), formatMoney)
          : 'not played';
      },
    };
  };
  const columns: readonly TableColumn<Scenario>[] = [
    { id: 'name', title: 'Scenario', isRowHeader: true, cell: ({ name }) => name },
    {
      id: 'world',
      title: 'World',
      cell: ({ parameters }) =>
        describeParameters(parameters)
          .map(({ name, text }) => `${name} ${text}`)
          .join('; ') || 'as the model has it',
    },
    { id: 'turn', title: 'After turn', cell: ({ id }) => last.get(id)?.turn ?? '–' },
    ...COMPARED.map(figure),
  ];
  return <Table label="Scenarios at the end" columns={columns} items={simulation.scenarios} />;
};
