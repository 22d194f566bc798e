import { createController } from "kinestitch";
import "kinestitch/networks/controller-biped";

export async function recipe() {
  const person = await createController();
  const sides = [
    [0, 1],
    [1, 0],
    [0, -1],
    [-1, 0],
  ];
  await person.record();
  for (const direction of sides)
    for (let frame = 0; frame < 60; frame++) await person.step({ direction, speed: 1.4 }, 1 / 30);
  return person.clip();
}
