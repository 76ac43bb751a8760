import { Table } from '../../ui/table.tsx';
import type { TableColumn } from '../../ui/table.tsx';
import { readReportFigures } from './read-report-figures.ts';
import type { ReportFigure } from './read-report-figures.ts';
import css from './simulations.module.css';

const COLUMNS: readonly TableColumn<ReportFigure & { id: string }>[] = [
  { id: 'label', title: 'Figure', isRowHeader: true, cell: ({ label }) => label },
  { id: 'text', title: 'Value', cell: ({ text }) => text },
];

/** The figures that the text of the report may use, by scenario. */
export const ReportFigures = ({ facts }: { facts: object }) => (
  <section className={css.part} lang="en" data-print="hidden">
    <h2>Figures behind the text</h2>
    <p className="muted">All were computed by the numeric model. The text contains no others.</p>
    {[...readReportFigures(facts)].map(([scenario, figures]) => (
      <details key={scenario} className={css.more}>
        <summary>{scenario === '' ? 'The whole simulation' : scenario}</summary>
        <Table
          label={scenario === '' ? 'Figures of the whole simulation' : `Figures of ${scenario}`}
          columns={COLUMNS}
          items={figures.map((figure, index) => ({ ...figure, id: String(index) }))}
        />
      </details>
    ))}
  </section>
);
