import { Chart, chartColor } from '../../ui/chart.tsx';
import { CHARTED, FIGURES, formatFigure } from './figure.ts';
import type { FormatMoney } from './figure.ts';
import { toHistory } from './series.ts';
import type { Simulation, State } from './simulations-query.ts';
import css from './simulations.module.css';
import { createFormatTurn } from './turn-label.ts';

type HistoryChartsProps = {
  simulation: Simulation;
  states: readonly State[];
  formatMoney: FormatMoney;
};

/** Revenue, cash and market share of every scenario, turn by turn. */
export const HistoryCharts = ({ simulation, states, formatMoney }: HistoryChartsProps) => {
  const { scenarios, companyBase } = simulation;
  return (
    <div className={css.charts}>
      {CHARTED.map((name) => {
        const { turns, lines } = toHistory({ scenarios, states, companyBase }, name);
        return (
          <Chart
            key={name}
            title={FIGURES[name].label}
            unit={FIGURES[name].unit}
            x={turns}
            formatX={createFormatTurn(simulation.turnUnit)}
            format={(value) => formatFigure(name, value, formatMoney)}
            lines={lines.map(({ values }, index) => ({
              label: scenarios[index]!.name,
              color: chartColor(index),
              values,
            }))}
          />
        );
      })}
    </div>
  );
};
