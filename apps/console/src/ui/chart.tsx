import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import css from './chart.module.css';

export type ChartColor = `--series-${1 | 2 | 3 | 4 | 5 | 6}`;

const COLORS: readonly ChartColor[] = [
  '--series-1',
  '--series-2',
  '--series-3',
  '--series-4',
  '--series-5',
  '--series-6',
];

/** Returns the color of the line at this index; further lines repeat the colors. */
export const chartColor = (index: number): ChartColor => COLORS[index % COLORS.length]!;

export type ChartLine = {
  label: string;
  color: ChartColor;
  values: readonly (number | null)[];
  /** Thin and without points, for the edges of a band. */
  isEdge?: boolean;
  isDashed?: boolean;
};

/** An area between two lines, by their indexes. */
export type ChartBand = { upper: number; lower: number; isInner: boolean };

export type ChartProps = {
  title: string;
  unit: string;
  /** Whole numbers in ascending order, such as turns. */
  x: readonly number[];
  formatX: (x: number) => string;
  format: (value: number) => string;
  /** Ends of the vertical axis; by default those of the values. */
  range?: readonly [number, number];
  lines: readonly ChartLine[];
  bands?: readonly ChartBand[];
};

/** Height in CSS pixels, which is reserved before the chart is drawn. */
const HEIGHT_PX = 220;
/** Width on paper: two columns of A4 with margins have about 330 CSS pixels each. */
const PRINT_WIDTH_PX = 320;
/** With more points than this the line is drawn without them. */
const POINTS_MAX = 30;

/**
 * A chart of lines and areas with its numbers as text: the legend shows the values at the pointer
 * or at the end, and a table below has all of them.
 */
export const Chart = (props: ChartProps) => {
  const { title, unit } = props;
  const [index, setIndex] = useState<number>();
  return (
    <figure className={css.chart} aria-label={`${title}, ${unit}`}>
      <figcaption className={css.caption}>
        <span className={css.title}>{title}</span> <span className={css.unit}>{unit}</span>
      </figcaption>
      <Plot {...props} onPoint={setIndex} />
      <Legend {...props} index={index} />
      <details className={css.numbers}>
        <summary aria-label={`Numbers of ${title}`}>Numbers</summary>
        <Numbers {...props} />
      </details>
    </figure>
  );
};

/** Without an index, the legend shows the last value of each line. */
type LegendProps = ChartProps & { index: number | undefined };

const Legend = ({ lines, format, formatX, x, index }: LegendProps) => (
  <ul className={css.legend}>
    {lines.map(({ label, color, values, isEdge = false, isDashed = false }) => {
      const value = index === undefined ? values.findLast((one) => one !== null) : values[index];
      return (
        <li key={label} className={css.entry}>
          <span
            className={css.swatch}
            data-edge={isEdge}
            data-dashed={isDashed}
            style={{ '--color': `var(${color})` } as object}
            aria-hidden="true"
          />
          <span>{label}</span>
          <span className={css.value}>
            {value === null || value === undefined ? '–' : format(value)}
          </span>
        </li>
      );
    })}
    <li className={css.at}>{index === undefined ? 'Last value' : formatX(x[index]!)}</li>
  </ul>
);

const Numbers = ({ title, x, formatX, format, lines }: ChartProps) => (
  <div className={css.scroll} tabIndex={0} role="group" aria-label={`Table of ${title}`}>
    <table className={css.table}>
      <thead>
        <tr>
          <th scope="col">At</th>
          {lines.map(({ label }) => (
            <th key={label} scope="col">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {x.map((at, row) => (
          <tr key={at}>
            <th scope="row">{formatX(at)}</th>
            {lines.map(({ label, values }) => (
              <td key={label}>{values[row] == null ? '–' : format(values[row])}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

type PlotProps = ChartProps & { onPoint: (index: number | undefined) => void };

/** The canvas. It is hidden from screen readers, which have the table. */
const Plot = (props: PlotProps) => {
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const { x, lines, bands } = props;
  // The chart is made again for other data only, not for functions that a parent creates anew.
  const data = JSON.stringify([x, lines, bands]);
  useEffect(() => drawIn(host.current!, latest.current), [data]);
  return <div ref={host} className={css.plot} aria-hidden="true" />;
};

/** Draws a chart that follows the width, the theme and printing. Returns what removes it. */
const drawIn = (host: HTMLDivElement, props: PlotProps): (() => void) => {
  const { x, lines } = props;
  const data = [x, ...lines.map(({ values }) => values)] as unknown as uPlot.AlignedData;
  const plot = new uPlot(optionsOf(host, props), data, host);
  const stopping = new AbortController();
  const { signal } = stopping;
  const fit = (): void => plot.setSize({ width: host.clientWidth, height: HEIGHT_PX });
  const resizing = new ResizeObserver(fit);
  resizing.observe(host);
  const theming = new MutationObserver(() => plot.redraw());
  theming.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  const dark = matchMedia('(prefers-color-scheme: dark)');
  dark.addEventListener('change', () => plot.redraw(), { signal });
  const setPrinting = (isPrinting: boolean): void => {
    host.style.colorScheme = isPrinting ? 'light' : '';
    if (isPrinting) plot.setSize({ width: PRINT_WIDTH_PX, height: HEIGHT_PX });
    else fit();
    plot.redraw();
  };
  addEventListener('beforeprint', () => setPrinting(true), { signal });
  addEventListener('afterprint', () => setPrinting(false), { signal });
  return () => {
    stopping.abort();
    theming.disconnect();
    resizing.disconnect();
    plot.destroy();
  };
};

const optionsOf = (host: HTMLElement, props: PlotProps): uPlot.Options => {
  const { x, lines, bands = [], range, format, formatX, onPoint } = props;
  const color = createColorReader(host);
  const axis = {
    stroke: () => color('--text-muted'),
    grid: { stroke: () => color('--border'), width: 1 },
    ticks: { show: false },
    font: '12px system-ui, sans-serif',
  };
  return {
    width: host.clientWidth,
    height: HEIGHT_PX,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: {
      x: { time: false, range: (_plot, min, max) => widen(min, max) },
      y: range ? { range: [...range] } : {},
    },
    axes: [
      {
        ...axis,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500],
        values: (_plot, splits) => splits.map((at) => (Number.isInteger(at) ? formatX(at) : '')),
        space: 64,
        size: 30,
      },
      { ...axis, size: 66, values: (_plot, splits) => splits.map(format) },
    ],
    series: [
      {},
      ...lines.map(({ label, color: token, isEdge = false, isDashed = false }) => ({
        label,
        stroke: () => color(token),
        width: isEdge ? 0.5 : 2,
        ...(isDashed ? { dash: [6, 4] } : {}),
        points: { show: !isEdge && !isDashed && x.length <= POINTS_MAX, size: 6 },
      })),
    ],
    bands: bands.map(({ upper, lower, isInner }) => ({
      series: [upper + 1, lower + 1] as [number, number],
      fill: () => color(isInner ? '--band-inner' : '--band-outer'),
    })),
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
  };
};

/** A single point gets space around it. */
const widen = (min: number, max: number): [number, number] =>
  min === max ? [min - 0.5, max + 0.5] : [min, max];

/** Returns a function that reads a token as a color that a canvas can draw with. */
const createColorReader = (host: HTMLElement): ((token: string) => string) => {
  const probe = document.createElement('span');
  probe.hidden = true;
  host.append(probe);
  return (token) => {
    probe.style.color = `var(${token})`;
    return getComputedStyle(probe).color;
  };
};
