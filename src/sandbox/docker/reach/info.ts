import type Docker from "dockerode";

const known = new WeakMap<Docker, Promise<unknown>>();

/** What an engine says of itself, asked once of each client of it: an engine counts its containers and images for each answer. Throws what the client throws. */
export async function engineInfo<Info extends object>(docker: Docker): Promise<Info> {
  const before = known.get(docker) ?? docker.info();
  known.set(docker, before);
  try {
    return (await before) as Info;
  } catch (error) {
    known.delete(docker);
    throw error;
  }
}
