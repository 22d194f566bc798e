//! Skeletons of many programs and data sets, and the expected mapping of their joints.

/// Each skeleton: its source; its joint hierarchy, with children in parentheses; the joints of all roles in the order
/// of `Role::ALL`, "-" for a role without a joint.
pub const KNOWN_SKELETONS: &[(&str, &str, &str)] = &[
    (
        "LAFAN1",
        "Hips(LeftUpLeg(LeftLeg(LeftFoot(LeftToe))),RightUpLeg(RightLeg(RightFoot(RightToe))),Spine(Spine1(Spine2(
         Neck(Head),LeftShoulder(LeftArm(LeftForeArm(LeftHand))),RightShoulder(RightArm(RightForeArm(RightHand)))))))",
        "Hips,LeftUpLeg,LeftLeg,LeftFoot,LeftToe,RightUpLeg,RightLeg,RightFoot,RightToe,Spine,Spine1,Spine2,Neck,Head,
         LeftShoulder,LeftArm,LeftForeArm,LeftHand,RightShoulder,RightArm,RightForeArm,RightHand",
    ),
    (
        "Bandai-Namco",
        "joint_Root(Hips(Spine(Chest(Neck(Head),Shoulder_L(UpperArm_L(LowerArm_L(Hand_L))),Shoulder_R(UpperArm_R(
         LowerArm_R(Hand_R))))),UpperLeg_L(LowerLeg_L(Foot_L(Toes_L))),UpperLeg_R(LowerLeg_R(Foot_R(Toes_R)))))",
        "Hips,UpperLeg_L,LowerLeg_L,Foot_L,Toes_L,UpperLeg_R,LowerLeg_R,Foot_R,Toes_R,Spine,-,Chest,Neck,Head,
         Shoulder_L,UpperArm_L,LowerArm_L,Hand_L,Shoulder_R,UpperArm_R,LowerArm_R,Hand_R",
    ),
    (
        "CMU, Daz",
        "hip(abdomen(chest(neck(head(leftEye,rightEye)),rCollar(rShldr(rForeArm(rHand(rThumb1(rThumb2),rMid1(rMid2))))),
         lCollar(lShldr(lForeArm(lHand(lThumb1(lThumb2),lMid1(lMid2))))))),rButtock(rThigh(rShin(rFoot))),
         lButtock(lThigh(lShin(lFoot))))",
        "hip,lThigh,lShin,lFoot,-,rThigh,rShin,rFoot,-,abdomen,-,chest,neck,head,lCollar,lShldr,lForeArm,lHand,
         rCollar,rShldr,rForeArm,rHand",
    ),
    (
        "CMU, cgspeed",
        "Hips(LHipJoint(LeftUpLeg(LeftLeg(LeftFoot(LeftToeBase)))),RHipJoint(RightUpLeg(RightLeg(RightFoot(
         RightToeBase)))),LowerBack(Spine(Spine1(Neck(Neck1(Head)),LeftShoulder(LeftArm(LeftForeArm(LeftHand(
         LeftFingerBase(LeftHandIndex1),LThumb)))),RightShoulder(RightArm(RightForeArm(RightHand(RightFingerBase(
         RightHandIndex1),RThumb))))))))",
        "Hips,LeftUpLeg,LeftLeg,LeftFoot,LeftToeBase,RightUpLeg,RightLeg,RightFoot,RightToeBase,LowerBack,Spine,Spine1,
         Neck,Head,LeftShoulder,LeftArm,LeftForeArm,LeftHand,RightShoulder,RightArm,RightForeArm,RightHand",
    ),
    (
        "Mixamo",
        "mixamorig:Hips(mixamorig:Spine(mixamorig:Spine1(mixamorig:Spine2(mixamorig:Neck(mixamorig:Head(
         mixamorig:HeadTop_End)),mixamorig:LeftShoulder(mixamorig:LeftArm(mixamorig:LeftForeArm(mixamorig:LeftHand(
         mixamorig:LeftHandThumb1(mixamorig:LeftHandThumb2),mixamorig:LeftHandIndex1)))),mixamorig:RightShoulder(
         mixamorig:RightArm(mixamorig:RightForeArm(mixamorig:RightHand)))))),mixamorig:LeftUpLeg(mixamorig:LeftLeg(
         mixamorig:LeftFoot(mixamorig:LeftToeBase(mixamorig:LeftToe_End)))),mixamorig:RightUpLeg(mixamorig:RightLeg(
         mixamorig:RightFoot(mixamorig:RightToeBase(mixamorig:RightToe_End)))))",
        "mixamorig:Hips,mixamorig:LeftUpLeg,mixamorig:LeftLeg,mixamorig:LeftFoot,mixamorig:LeftToeBase,
         mixamorig:RightUpLeg,mixamorig:RightLeg,mixamorig:RightFoot,mixamorig:RightToeBase,mixamorig:Spine,
         mixamorig:Spine1,mixamorig:Spine2,mixamorig:Neck,mixamorig:Head,mixamorig:LeftShoulder,mixamorig:LeftArm,
         mixamorig:LeftForeArm,mixamorig:LeftHand,mixamorig:RightShoulder,mixamorig:RightArm,mixamorig:RightForeArm,
         mixamorig:RightHand",
    ),
    (
        "Xsens",
        "Hips(RightUpperLeg(RightLowerLeg(RightFoot(RightToe))),LeftUpperLeg(LeftLowerLeg(LeftFoot(LeftToe))),
         L5(L3(T12(T8(Neck(Head),RightShoulder(RightUpperArm(RightForeArm(RightHand))),LeftShoulder(LeftUpperArm(
         LeftForeArm(LeftHand))))))))",
        "Hips,LeftUpperLeg,LeftLowerLeg,LeftFoot,LeftToe,RightUpperLeg,RightLowerLeg,RightFoot,RightToe,L5,T12,T8,Neck,
         Head,LeftShoulder,LeftUpperArm,LeftForeArm,LeftHand,RightShoulder,RightUpperArm,RightForeArm,RightHand",
    ),
    (
        "Rokoko",
        "Hips(Spine1(Spine2(Spine3(Spine4(Neck(Head),RightShoulder(RightArm(RightForeArm(RightHand))),LeftShoulder(
         LeftArm(LeftForeArm(LeftHand(LeftDigit2Metacarpal(LeftDigit2ProximalPhalanx))))))))),LeftThigh(LeftShin(
         LeftFoot(LeftToe))),RightThigh(RightShin(RightFoot(RightToe))))",
        "Hips,LeftThigh,LeftShin,LeftFoot,LeftToe,RightThigh,RightShin,RightFoot,RightToe,Spine1,Spine3,Spine4,Neck,
         Head,LeftShoulder,LeftArm,LeftForeArm,LeftHand,RightShoulder,RightArm,RightForeArm,RightHand",
    ),
    (
        "Unreal",
        "root(pelvis(spine_01(spine_02(spine_03(clavicle_l(upperarm_l(lowerarm_l(hand_l(index_01_l(index_02_l),
         thumb_01_l),lowerarm_twist_01_l),upperarm_twist_01_l)),clavicle_r(upperarm_r(lowerarm_r(hand_r))),
         neck_01(head)))),thigh_l(calf_l(calf_twist_01_l,foot_l(ball_l)),thigh_twist_01_l),thigh_r(calf_r(foot_r(
         ball_r)))),ik_foot_root(ik_foot_l,ik_foot_r),ik_hand_root(ik_hand_gun(ik_hand_l,ik_hand_r)))",
        "pelvis,thigh_l,calf_l,foot_l,ball_l,thigh_r,calf_r,foot_r,ball_r,spine_01,spine_02,spine_03,neck_01,head,
         clavicle_l,upperarm_l,lowerarm_l,hand_l,clavicle_r,upperarm_r,lowerarm_r,hand_r",
    ),
    (
        "VRoid",
        "Root(J_Bip_C_Hips(J_Bip_C_Spine(J_Bip_C_Chest(J_Bip_C_UpperChest(J_Bip_C_Neck(J_Bip_C_Head(J_Adj_L_FaceEye,
         J_Sec_Hair1_01)),J_Bip_L_Shoulder(J_Bip_L_UpperArm(J_Bip_L_LowerArm(J_Bip_L_Hand(J_Bip_L_Index1)))),
         J_Bip_R_Shoulder(J_Bip_R_UpperArm(J_Bip_R_LowerArm(J_Bip_R_Hand))),J_Sec_L_Bust1))),J_Bip_L_UpperLeg(
         J_Bip_L_LowerLeg(J_Bip_L_Foot(J_Bip_L_ToeBase))),J_Bip_R_UpperLeg(J_Bip_R_LowerLeg(J_Bip_R_Foot(
         J_Bip_R_ToeBase)))))",
        "J_Bip_C_Hips,J_Bip_L_UpperLeg,J_Bip_L_LowerLeg,J_Bip_L_Foot,J_Bip_L_ToeBase,J_Bip_R_UpperLeg,
         J_Bip_R_LowerLeg,J_Bip_R_Foot,J_Bip_R_ToeBase,J_Bip_C_Spine,J_Bip_C_Chest,J_Bip_C_UpperChest,J_Bip_C_Neck,
         J_Bip_C_Head,J_Bip_L_Shoulder,J_Bip_L_UpperArm,J_Bip_L_LowerArm,J_Bip_L_Hand,J_Bip_R_Shoulder,
         J_Bip_R_UpperArm,J_Bip_R_LowerArm,J_Bip_R_Hand",
    ),
    (
        "VRM",
        "hips(spine(chest(neck(head),leftShoulder(leftUpperArm(leftLowerArm(leftHand(leftIndexProximal)))),
         rightShoulder(rightUpperArm(rightLowerArm(rightHand))))),leftUpperLeg(leftLowerLeg(leftFoot(leftToes))),
         rightUpperLeg(rightLowerLeg(rightFoot(rightToes))))",
        "hips,leftUpperLeg,leftLowerLeg,leftFoot,leftToes,rightUpperLeg,rightLowerLeg,rightFoot,rightToes,spine,-,chest,
         neck,head,leftShoulder,leftUpperArm,leftLowerArm,leftHand,rightShoulder,rightUpperArm,rightLowerArm,rightHand",
    ),
    (
        "Rigify",
        "spine(spine.001(spine.002(spine.003(spine.004(spine.005(spine.006(face(nose,jaw)))),shoulder.L(upper_arm.L(
         forearm.L(hand.L(palm.01.L(f_index.01.L))))),shoulder.R(upper_arm.R(forearm.R(hand.R))),breast.L,breast.R))),
         pelvis.L,pelvis.R,thigh.L(shin.L(foot.L(toe.L,heel.02.L))),thigh.R(shin.R(foot.R(toe.R))))",
        "spine,thigh.L,shin.L,foot.L,toe.L,thigh.R,shin.R,foot.R,toe.R,spine.001,spine.002,spine.003,spine.004,
         spine.006,shoulder.L,upper_arm.L,forearm.L,hand.L,shoulder.R,upper_arm.R,forearm.R,hand.R",
    ),
    (
        "3ds Max Biped",
        "Bip01(Bip01 Pelvis(Bip01 Spine(Bip01 Spine1(Bip01 Neck(Bip01 Head(Bip01 HeadNub),Bip01 L Clavicle(
         Bip01 L UpperArm(Bip01 L Forearm(Bip01 L Hand(Bip01 L Finger0)))),Bip01 R Clavicle(Bip01 R UpperArm(
         Bip01 R Forearm(Bip01 R Hand)))))),Bip01 L Thigh(Bip01 L Calf(Bip01 L Foot(Bip01 L Toe0(
         Bip01 L Toe0Nub)))),Bip01 R Thigh(Bip01 R Calf(Bip01 R Foot(Bip01 R Toe0)))))",
        "Bip01 Pelvis,Bip01 L Thigh,Bip01 L Calf,Bip01 L Foot,Bip01 L Toe0,Bip01 R Thigh,Bip01 R Calf,Bip01 R Foot,
         Bip01 R Toe0,Bip01 Spine,-,Bip01 Spine1,Bip01 Neck,Bip01 Head,Bip01 L Clavicle,Bip01 L UpperArm,
         Bip01 L Forearm,Bip01 L Hand,Bip01 R Clavicle,Bip01 R UpperArm,Bip01 R Forearm,Bip01 R Hand",
    ),
    (
        "SMPL",
        "Pelvis(L_Hip(L_Knee(L_Ankle(L_Foot))),R_Hip(R_Knee(R_Ankle(R_Foot))),Spine1(Spine2(Spine3(Neck(Head),L_Collar(
         L_Shoulder(L_Elbow(L_Wrist(L_Hand)))),R_Collar(R_Shoulder(R_Elbow(R_Wrist(R_Hand))))))))",
        "Pelvis,L_Hip,L_Knee,L_Ankle,L_Foot,R_Hip,R_Knee,R_Ankle,R_Foot,Spine1,Spine2,Spine3,Neck,Head,L_Collar,
         L_Shoulder,L_Elbow,L_Wrist,R_Collar,R_Shoulder,R_Elbow,R_Wrist",
    ),
    (
        "OptiTrack",
        "Hip(Ab(Chest(Neck(Head),LShoulder(LUArm(LFArm(LHand))),RShoulder(RUArm(RFArm(RHand))))),LThigh(LShin(LFoot(
         LToe))),RThigh(RShin(RFoot(RToe))))",
        "Hip,LThigh,LShin,LFoot,LToe,RThigh,RShin,RFoot,RToe,Ab,-,Chest,Neck,Head,LShoulder,LUArm,LFArm,LHand,
         RShoulder,RUArm,RFArm,RHand",
    ),
    (
        "joints named for the bones they join",
        "RootJoint(lHip(lKnee(lAnkle(lToeJoint))),rHip(rKnee(rAnkle(rToeJoint))),pelvis_lowerback(lowerback_torso(
         torso_head,lTorso_Clavicle(lShoulder(lElbow(lWrist))),rTorso_Clavicle(rShoulder(rElbow(rWrist))))))",
        "RootJoint,lHip,lKnee,lAnkle,lToeJoint,rHip,rKnee,rAnkle,rToeJoint,pelvis_lowerback,-,lowerback_torso,-,
         torso_head,lTorso_Clavicle,lShoulder,lElbow,lWrist,rTorso_Clavicle,rShoulder,rElbow,rWrist",
    ),
    (
        "no clavicles, no toes, run-together lower case",
        "pelvis(leftthigh(leftshin(leftfoot)),rightthigh(rightshin(rightfoot)),chest(neck(head),leftshoulder(leftelbow(
         leftwrist)),rightshoulder(rightelbow(rightwrist))))",
        "pelvis,leftthigh,leftshin,leftfoot,-,rightthigh,rightshin,rightfoot,-,chest,-,-,neck,head,-,leftshoulder,
         leftelbow,leftwrist,-,rightshoulder,rightelbow,rightwrist",
    ),
    (
        "side behind a space or a hyphen",
        "Hips(Thigh Left(Shin Left(Foot Left)),Thigh Right(Shin Right(Foot Right)),Spine(Neck(Head),Arm-l(Forearm-l(
         Hand-l)),Arm-r(Forearm-r(Hand-r))))",
        "Hips,Thigh Left,Shin Left,Foot Left,-,Thigh Right,Shin Right,Foot Right,-,Spine,-,-,Neck,Head,-,Arm-l,
         Forearm-l,Hand-l,-,Arm-r,Forearm-r,Hand-r",
    ),
];
