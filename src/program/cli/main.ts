import { exitCodeOf, failureText } from './failure.ts';
import { buildProgram } from './program.ts';

// A reader such as `head` may close the pipe early (`pirogue teams list | head`). That is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

try {
  await buildProgram().parseAsync(process.argv);
} catch (error) {
  const text = await failureText(error);
  if (text) console.error(text);
  // Exits explicitly: after a failure, an open handle could keep the process alive.
  process.exit(exitCodeOf(error));
}
