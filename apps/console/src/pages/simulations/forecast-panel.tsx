import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Chart } from '../../ui/chart.tsx';
import type { ChartBand, ChartLine } from '../../ui/chart.tsx';
import { formatCount, formatCountOf } from '../../ui/format.ts';
import { Failure, Skeleton } from '../../ui/page-state.tsx';
import { Section } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { CHARTED, FIGURES, formatChance, formatFigure } from './figure.ts';
import type { ChartedName, FormatMoney } from './figure.ts';
import { toFan, toHistory } from './series.ts';
import { forecastQuery } from './simulations-query.ts';
import type { Forecast, Scenario, Simulation, State } from './simulations-query.ts';
import css from './simulations.module.css';
import { createFormatTurn } from './turn-label.ts';
import { FORECAST_TURNS } from './view.ts';

const routeApi = getRouteApi('/shell/simulations/$simulationId');

type ForecastPanelProps = {
  simulation: Simulation;
  scenario: Scenario;
  states: readonly State[];
  formatMoney: FormatMoney;
};

/** What may come of the course that one scenario is on, as a fan of percentiles. */
export const ForecastPanel = (props: ForecastPanelProps) => {
  const { simulation, scenario } = props;
  const { forecastTurns = '8' } = routeApi.useSearch();
  const navigate = routeApi.useNavigate();
  const { id, currentTurn } = simulation;
  const turns = Number(forecastTurns);
  const forecast = useQuery(forecastQuery({ id, scenarioId: scenario.id, turns, currentTurn }));
  return (
    <Section
      title={`Forecast of ${scenario.name}`}
      intro={
        'The model plays the last decisions on, many times with other chance. Half of all ' +
        'runs end in the inner band, nine of ten in the outer one. No model of language is ' +
        'asked.'
      }
      actions={
        <div data-print="hidden">
          <Select
            label="Length"
            options={FORECAST_TURNS.map((value) => ({
              value,
              label: `${value} ${simulation.turnUnit}s`,
            }))}
            value={forecastTurns}
            onChange={(value) => {
              const search = (known: object) => ({ ...known, forecastTurns: value });
              void navigate({ search, replace: true, resetScroll: false });
            }}
          />
        </div>
      }
    >
      {forecast.isPending ? (
        <div className={css.chartsHeight}>
          <Skeleton lines={8} />
        </div>
      ) : forecast.isError ? (
        <Failure error={forecast.error} onRetry={() => void forecast.refetch()} />
      ) : (
        <Fans {...props} forecast={forecast.data} turns={turns} />
      )}
    </Section>
  );
};

type FansProps = ForecastPanelProps & { forecast: Forecast; turns: number };

const Fans = ({ turns, ...props }: FansProps) => {
  const { insolvencyProbability, insolvencyInterval, runs } = props.forecast;
  const { turnUnit } = props.simulation;
  const { low, high } = insolvencyInterval;
  return (
    <>
      <div className={css.charts}>
        {CHARTED.map((name) => (
          <FanChart key={name} {...props} name={name} />
        ))}
      </div>
      <p>
        <strong>{formatChance(insolvencyProbability)}</strong> of {formatCount(runs)} runs become
        insolvent within the next {formatCountOf(turns, turnUnit)}{' '}
        <span className="muted">
          (95% confidence: {formatChance(low)} to {formatChance(high)}).
        </span>
      </p>
    </>
  );
};

/** By the order of the lines below. */
const BANDS: readonly ChartBand[] = [
  { upper: 1, lower: 5, isInner: false },
  { upper: 2, lower: 4, isInner: true },
];

type FanChartProps = Omit<FansProps, 'turns'> & { name: ChartedName };

const FanChart = ({ name, ...props }: FanChartProps) => {
  const { simulation, scenario, states, formatMoney, forecast } = props;
  const { companyBase, currentTurn, turnUnit } = simulation;
  const history = toHistory({ scenarios: [scenario], states, companyBase }, name);
  const { percentiles } = forecast;
  const fan = toFan(history, scenario.id, { name, percentiles, currentTurn });
  const color = '--series-1';
  const { p5, p25, p50, p75, p95 } = fan.percentiles;
  const lines: ChartLine[] = [
    { label: 'Played', color, values: fan.history },
    { label: 'p95', color, values: p95, isEdge: true },
    { label: 'p75', color, values: p75, isEdge: true },
    { label: 'Median', color, values: p50, isDashed: true },
    { label: 'p25', color, values: p25, isEdge: true },
    { label: 'p5', color, values: p5, isEdge: true },
  ];
  return (
    <Chart
      title={FIGURES[name].label}
      unit={FIGURES[name].unit}
      x={fan.turns}
      formatX={createFormatTurn(turnUnit)}
      format={(value) => formatFigure(name, value, formatMoney)}
      lines={lines}
      bands={BANDS}
    />
  );
};
