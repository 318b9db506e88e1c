import { exitCodeOf, failureText } from './failure.ts';
import { buildProgram } from './program.ts';

// `pirogue teams list | head`: a reader that has seen enough is no fault of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

try {
  await buildProgram().parseAsync(process.argv);
} catch (error) {
  const text = await failureText(error);
  if (text) console.error(text);
  // Not by exitCode: after a failure something that keeps the process alive may still be open.
  process.exit(exitCodeOf(error));
}
