import { Migration } from '@mikro-orm/migrations';

/** Finds the entries of the log that state a loss of epochs, which are few. */
export class LogLosses extends Migration {
  override up(): void {
    this.addSql(`CREATE INDEX epoch_loss ON epoch (n) WHERE entry LIKE 'witan-loss/v1%'`);
  }
}
