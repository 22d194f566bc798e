export * from "kinestitch";
