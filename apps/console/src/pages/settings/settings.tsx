import { Link, Outlet } from '@tanstack/react-router';
import { canUse, useSession } from '../../app/session.ts';
import { Page } from '../../ui/page.tsx';
import { SETTINGS_SECTIONS } from './settings-sections.ts';
import css from './settings.module.css';

/** The frame of the settings: their sections beside the chosen one. */
export const Settings = () => {
  const session = useSession();
  return (
    <Page title="Settings">
      <div className={css.layout}>
        <nav className={css.sections} aria-label="Settings">
          {SETTINGS_SECTIONS.filter(({ scopes }) => canUse(session, scopes)).map(
            ({ to, label }) => (
              <Link key={to} to={to} className={css.section}>
                {label}
              </Link>
            ),
          )}
        </nav>
        <Outlet />
      </div>
    </Page>
  );
};
